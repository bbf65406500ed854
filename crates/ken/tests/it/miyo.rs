//! The compatibility server of Miyo beyond a plain search: paths by name, folders left out, single files.

use std::fs;

use serde_json::{Value, json};

use crate::server::Server;
use crate::vault::TestVault;

const BOILER: &str = "2-Areas/Home/Boiler.md";

/// A vault with a folder that its settings leave out.
fn vault() -> TestVault {
    let vault = TestVault::example();
    vault.write("Archive/Old.md", "# Old\n\nThe old boiler.\n");
    let settings = "[index]\nexclude = [\"Archive\", \"*.tmp\"]\n";
    fs::write(vault.beside("config.toml"), settings).unwrap();
    vault
}

fn serve(vault: &TestVault) -> Server {
    Server::start(vault, &["--compat", "miyo", "--miyo-port", "0"])
}

fn root(vault: &TestVault) -> String {
    vault.root().canonicalize().unwrap().display().to_string()
}

fn paths(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap().iter();
    list.map(|item| item["path"].as_str().unwrap()).collect()
}

#[test]
fn without_a_folder_every_path_begins_with_the_name_of_its_own() {
    let vault = vault();
    let server = serve(&vault);
    let compat = server.compat(1);
    let search = |body: Value| compat.post("/v0/search", &body.to_string()).json();
    let found = search(json!({"query": "boiler", "limit": 3}));
    assert_eq!(found["results"][0]["path"], format!("vault/{BOILER}"));
    let found = search(json!({"query": "boiler", "exclude_folders": ["2-Areas/Home"]}));
    assert!(found["count"].as_u64().unwrap() > 0);
    let is_left_out = |path: &&str| path.starts_with("vault/2-Areas/Home/");
    assert!(!paths(&found["results"]).iter().any(is_left_out), "{found}");
    let like = json!({"file_path": format!("vault/{BOILER}"), "limit": 4}).to_string();
    let found = compat.post("/v0/search/related", &like).json();
    assert_eq!(found["count"], 4);
    let is_named = |path: &&str| path.starts_with("vault/");
    assert!(paths(&found["results"]).iter().all(is_named), "{found}");
}

#[test]
fn indexed_files_are_listed_page_by_page() {
    let vault = vault();
    let server = serve(&vault);
    let compat = server.compat(1);
    let get = |path: &str| compat.ask("GET", path, &[], "");
    let folder = get("/v0/folder?path=vault").json();
    assert_eq!(folder["exclude_folders"], json!(["Archive"]));
    assert_eq!(folder["exclude_patterns"], json!(["*.tmp"]));
    let all = get("/v0/folder/files?folder_name=vault").json();
    assert_eq!(
        (&all["total"], paths(&all["files"]).len()),
        (&json!(47), 47)
    );
    let page = get("/v0/folder/files?folder_name=vault&offset=2&limit=3&order_by=mtime").json();
    assert_eq!(page["total"], 47);
    assert_eq!(paths(&page["files"]), paths(&all["files"])[2..5]);
    let file = format!("vault/{BOILER}");
    let one = get(&format!("/v0/folder/files?file_path={file}")).json();
    assert_eq!(
        (&one["total"], paths(&one["files"])),
        (&json!(1), vec![file.as_str()])
    );
    assert_eq!(one["files"][0]["folder_path"], root(&vault));
    assert!(
        one["files"][0]["updated_at"]
            .as_str()
            .unwrap()
            .ends_with('Z')
    );
    let named = get(&format!(
        "/v0/folder/files?folder_path={}&title=BOIL",
        root(&vault)
    ));
    let named = named.json();
    assert_eq!(
        paths(&named["files"])[0],
        format!("{}/{BOILER}", root(&vault))
    );
    assert_eq!(get("/v0/folder/files?mtime_before=1").json()["total"], 0);
    get("/v0/folder/files?order_by=mood").problem(400);
    get("/v0/folder/files?folder_name=nowhere").problem(404);

    let told = get(&format!(
        "/v0/folder/documents?folder_name=vault&path={file}"
    ))
    .json();
    let documents = told["documents"].as_array().unwrap();
    assert_eq!(one["files"][0]["total_chunks"], documents.len());
    assert!(documents.len() > 1);
    for (at, document) in documents.iter().enumerate() {
        assert_eq!(
            (&document["path"], &document["chunk_index"]),
            (&json!(file), &json!(at))
        );
        assert!(document["nchars"].as_u64().unwrap() > 0);
    }
    let gone = get("/v0/folder/documents?path=vault/Gone.md").json();
    assert_eq!(gone["documents"], json!([]));
    get("/v0/folder/documents").problem(400);
}

#[test]
fn only_what_is_indexed_is_read_and_only_by_its_path() {
    let vault = vault();
    let server = serve(&vault);
    let compat = server.compat(1);
    let parse = |path: &str| {
        let body = json!({"folder_name": "vault", "path": path}).to_string();
        compat.post("/v0/parse-doc", &body)
    };
    let file = format!("vault/{BOILER}");
    for path in [BOILER, &file, &format!("{}/{BOILER}", root(&vault))] {
        let parsed = parse(path).json();
        assert!(
            parsed["text"].as_str().unwrap().contains("igniter"),
            "{parsed}"
        );
        assert_eq!(parsed["source_path"], file);
    }
    for path in ["Archive/Old.md", "../config.toml", "/etc/passwd", "Boiler"] {
        parse(path).problem(404);
    }
    compat.post("/v0/parse-doc", "{}").problem(400);
}
