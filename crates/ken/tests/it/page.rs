//! The page for people, as the server answers it: without scripts, with tokens, and what it may do.

use std::fs;

use crate::server::{Reply, Server};
use crate::vault::TestVault;

#[track_caller]
fn html(reply: &Reply) -> &str {
    assert_eq!(reply.status, 200, "{reply:?}");
    let kind = reply.header("content-type").unwrap();
    assert!(kind.starts_with("text/html"), "{kind}");
    &reply.body
}

#[test]
fn the_page_searches_without_scripts() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let start = server.get("/");
    assert!(html(&start).contains("<form"));
    let policy = start.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'"));
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(!start.body.contains("style=") && !start.body.contains("onclick"));
    let found = server.get("/?q=boiler+cartridge&theme=x");
    assert!(
        html(&found).contains("<mark>cartridge</mark>"),
        "{}",
        found.body
    );
    assert!(found.body.contains("evidence-strong"));
    let shown = server.get("/?q=boiler&note=2-Areas/Home/Boiler.md&line=19");
    assert!(html(&shown).contains("data-line=\"19\""));
    let odd = server.get("/?q=%3Cscript%3Ealert(1)&note=%3Cb%3Enowhere");
    assert!(html(&odd).contains("&lt;script&gt;alert(1)"));
    assert!(!odd.body.contains("<script>") && !odd.body.contains("<b>nowhere"));
}

#[test]
fn files_of_the_page_are_sent_once() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let script = server.get("/page/app.js");
    assert_eq!(script.status, 200);
    assert!(
        script
            .header("content-type")
            .unwrap()
            .starts_with("text/javascript")
    );
    assert_eq!(script.header("cache-control"), Some("no-cache"));
    let tag = script.header("etag").unwrap().to_owned();
    let again = server.get_with("/page/app.js", &[("If-None-Match", &tag)]);
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    let packed = server.get_with("/page/style.css", &[("Accept-Encoding", "gzip")]);
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    for missing in ["nothing.js", "page.html", "types.d.ts", "..%2fapp.js"] {
        server.get(&format!("/page/{missing}")).problem(404);
    }
}

#[test]
fn what_is_looked_at_is_counted_and_rendered() {
    let vault = TestVault::example();
    fs::write(
        vault.root().join("Hostile.md"),
        "# Hostile\n\n<script>alert(1)</script>\n\n![x](https://evil.example/a.png)\n\nand [[Nowhere]] #odd/tag\n",
    )
    .unwrap();
    let server = Server::start(&vault, &[]);
    let all = server.get("/facets").json();
    let some = server.get("/facets?q=tag:home").json();
    let n = |facets: &serde_json::Value| facets["notes"].as_u64().unwrap();
    assert!(n(&some) > 3 && n(&some) < n(&all), "{some}");
    let tags = all["tags"].as_array().unwrap();
    assert!(
        tags.iter()
            .any(|tag| tag["value"] == "odd" && tag["n"] == 1)
    );
    let preview = server.get("/preview/Hostile").json();
    let html = preview["html"].as_str().unwrap();
    assert!(
        !html.contains("script") && !html.contains("evil.example"),
        "{html}"
    );
    assert!(html.contains("data-note=\"Nowhere\""));
    server.get("/preview/Nowhere?from=Hostile.md").problem(404);
    let linked = server.get("/preview/Boiler?from=Hostile.md").json();
    assert_eq!(linked["path"], "2-Areas/Home/Boiler.md");
    let similar = server.get("/similar/Boiler?k=3").json();
    let hits = similar["hits"].as_array().unwrap();
    assert!(hits.len() == 3 && hits.iter().all(|hit| hit["path"] != linked["path"]));
    let dead = server.get("/dead-links").json();
    let links = dead["links"].as_array().unwrap();
    assert!(
        links.iter().any(|link| link["target"] == "Nowhere"),
        "{dead}"
    );
    assert!(
        !server.get("/calendar").json()["days"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    assert_eq!(server.get("/clients").json()["tokens"], false);
}

#[test]
fn the_map_has_every_note_and_stays_the_same() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let reply = server.get("/map");
    let map = reply.json();
    let n_notes = server.get("/status").json()["notes"].as_u64().unwrap() as usize;
    for list in ["paths", "titles", "x", "y", "region"] {
        assert_eq!(map[list].as_array().unwrap().len(), n_notes, "{list}");
    }
    let regions = map["regions"].as_array().unwrap();
    assert!(regions.len() >= 3);
    assert!(
        regions
            .iter()
            .all(|region| !region["words"].as_array().unwrap().is_empty()),
        "{regions:?}"
    );
    assert_eq!(server.get("/map").body, reply.body);
}

#[test]
fn where_tokens_are_needed_a_person_signs_in() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    let mut command = vault.command(&["serve", "--port", "0"]);
    command.env("KEN_TOKEN", "a-long-enough-token");
    let server = Server::start_command(command);
    let away = server.get("/?q=boiler");
    assert_eq!((away.status, away.body.as_str()), (303, ""));
    let to = away.header("location").unwrap();
    assert_eq!(to, "/sign-in?next=%2F%3Fq%3Dboiler");
    assert!(html(&server.get(to)).contains("value=\"/?q=boiler\""));
    assert_eq!(server.get("/page/style.css").status, 200);
    server.get("/search?q=boiler").problem(401);
    let own = server.url("");
    let form = "application/x-www-form-urlencoded";
    let headers = [("Content-Type", form), ("Origin", own.as_str())];
    let enter = |body: &str| server.client().ask("POST", "/sign-in", &headers, body);
    assert_eq!(enter("token=wrong&next=/").status, 401);
    let entered = enter("token=a-long-enough-token&next=https://evil.example/");
    assert_eq!(
        (entered.status, entered.header("location")),
        (303, Some("/"))
    );
    let cookie = entered.header("set-cookie").unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
    assert!(!cookie.contains("a-long-enough-token"));
    let cookie = cookie.split(';').next().unwrap();
    let with = |more: &[(&str, &str)], method: &str, path: &str, body: &str| {
        let mut headers = vec![("Cookie", cookie), ("Content-Type", "application/json")];
        headers.extend_from_slice(more);
        server.client().ask(method, path, &headers, body)
    };
    assert!(html(&with(&[], "GET", "/?q=boiler", "")).contains("evidence-strong"));
    assert_eq!(with(&[], "GET", "/search?q=boiler", "").status, 200);
    // A cookie alone changes nothing: the page itself must ask.
    with(&[], "POST", "/search", "{\"q\":\"boiler\"}").problem(403);
    let elsewhere = [("Origin", "http://127.0.0.1:1")];
    with(&elsewhere, "POST", "/search", "{\"q\":\"boiler\"}").problem(403);
    assert_eq!(
        with(&[("Origin", &own)], "POST", "/search", "{\"q\":\"boiler\"}").status,
        200
    );
    let left = with(&[("Origin", &own)], "POST", "/sign-out", "");
    assert!(left.header("set-cookie").unwrap().contains("Max-Age=0"));
}
