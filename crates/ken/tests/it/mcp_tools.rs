//! The tools of `ken mcp`: what each answers, what it refuses, and which domains it sees.

use serde_json::{Value, json};

use crate::mcp::{TOOLS, check_plain, indexed};
use crate::mcp_client::Client;
use crate::vault::TestVault;

#[test]
fn search_gives_the_hits_of_the_terminal_with_what_is_needed_to_quote() {
    let vault = indexed();
    let expected = vault
        .ken(&["search", "-n", "5", "--format", "json", "kitchen floor"])
        .json();
    let mut client = Client::modern(&vault, &[]);
    for tool in ["search", "memory_search"] {
        let result = client.call(tool, json!({"query": "kitchen floor"}));
        let found = &result["structuredContent"];
        assert_eq!(found["evidence"], expected["evidence"]);
        let ids = |list: &Value| -> Vec<Value> {
            let list = list.as_array().unwrap().iter();
            list.map(|hit| json!([hit["id"], hit["score"], hit["start_line"], hit["text"]]))
                .collect()
        };
        assert_eq!(ids(&found["results"]), ids(&expected["hits"]));
        let content = result["content"].as_array().unwrap();
        let text = content[0]["text"].as_str().unwrap();
        let first = &found["results"][0];
        assert!(text.contains(first["path"].as_str().unwrap()) && text.contains("> "));
        assert_eq!(content.len(), 1, "links are for those who ask for them");
        // Some clients show the model nothing but this: all that a quote needs, and nothing twice.
        let fields: Vec<&String> = first.as_object().unwrap().keys().collect();
        let needed = [
            "rank",
            "id",
            "path",
            "title",
            "start_line",
            "end_line",
            "score",
            "text",
        ];
        assert!(
            needed
                .iter()
                .all(|name| fields.iter().any(|own| own == name)),
            "{fields:?}"
        );
        let known = ["section", "page", "date"];
        let is_known =
            |own: &&String| needed.contains(&own.as_str()) || known.contains(&own.as_str());
        assert!(fields.iter().all(is_known), "{fields:?}");
        assert!(!found.to_string().contains("://"), "{found}");
    }
    let few = client.answer(
        "search",
        json!({"query": "kitchen", "limit": 2, "mode": "lexical"}),
    );
    assert_eq!(few["results"].as_array().unwrap().len(), 2);
    let short = client.answer("search", json!({"query": "kitchen", "max_tokens": 60}));
    let n_chars: usize = short["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["text"].as_str().unwrap().chars().count())
        .sum();
    assert!(n_chars <= 240, "{n_chars}");
}

#[test]
fn what_the_notes_do_not_say_is_said() {
    let vault = TestVault::empty();
    vault.write(
        "Roof.md",
        "# Roof\n\nEsko repaired the north gutter in May.\n",
    );
    vault.ken(&["index"]).expect_code(0);
    let mut client = Client::modern(&vault, &[]);
    let result = client.call("search", json!({"query": "xylophone", "mode": "lexical"}));
    let found = &result["structuredContent"];
    assert_eq!(found["evidence"], "none");
    assert_eq!(found["results"], json!([]));
    assert_eq!(found["message"], "your notes do not say");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("your notes do not say"), "{text}");
    assert_eq!(result["isError"], false);
}

#[test]
fn notes_are_read_whole_in_part_and_together() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    let path = "2-Areas/People/April Jane.md";
    let whole = client.answer("get", json!({"reference": "AJ"}));
    assert_eq!(
        (&whole["path"], &whole["start_line"]),
        (&json!(path), &json!(1))
    );
    assert_eq!(whole.get("uri"), None);
    let lines: Vec<&str> = whole["text"].as_str().unwrap().lines().collect();
    let part = client.answer(
        "get",
        json!({"reference": "ken://vault/2-Areas/People/April%20Jane.md", "from": 2, "to": 3}),
    );
    assert_eq!(part["text"], lines[1..3].join("\n"));
    let tail = client.answer("get", json!({"reference": path, "from": lines.len()}));
    assert_eq!(tail["text"], lines[lines.len() - 1]);

    let many = client.answer("multi_get", json!({"references": ["AJ:1-2", "Nobody"]}));
    assert_eq!(many["notes"][0]["end_line"], 2);
    assert_eq!(many["missing"][0]["reference"], "Nobody");
    assert!(
        many["missing"][0]["error"]
            .as_str()
            .unwrap()
            .contains("Nobody")
    );

    for (from, to) in [(lines.len() + 1, 99), (3, 2)] {
        let beyond = json!({"reference": path, "from": from, "to": to});
        let (error, hint) = client.refusal("get", beyond);
        assert!(error.contains("has no lines"), "{error}");
        assert!(hint.contains(&format!("1 to {}", lines.len())), "{hint}");
    }

    let (error, hint) = client.refusal("get", json!({"reference": "Nobody"}));
    assert!(
        error.contains("Nobody") && hint.contains("search"),
        "{error} {hint}"
    );
}

#[test]
fn links_walks_and_lists_lead_to_notes() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    let links = client.answer("links", json!({"reference": "Kitchen Renovation"}));
    let paths = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|item| item["path"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(paths(&links["outgoing"]).contains(&"2-Areas/People/Dale Pruitt.md".to_owned()));
    assert!(paths(&links["backlinks"]).contains(&"1-Projects/Garage Bench.md".to_owned()));

    let walk = json!({"reference": "Kitchen Renovation", "query": "who pays", "depth": 1});
    let walked = client.answer("traverse", walk);
    assert!(paths(&walked["retained"]).contains(&"2-Areas/People/Dale Pruitt.md".to_owned()));
    assert_eq!(walked["hops_walked"], 1);

    let all = client.answer("list_notes", json!({}));
    let first = client.answer("list_notes", json!({"limit": 2}));
    assert_eq!(
        (&first["n_notes"], &first["next_offset"]),
        (&all["n_notes"], &json!(2))
    );
    let next = client.answer("list_notes", json!({"limit": 2, "offset": 2}));
    assert_eq!(paths(&all["notes"])[2..4], paths(&next["notes"]));
    let finance = client.answer(
        "list_notes",
        json!({"prefix": "2-Areas/", "tag": "finance"}),
    );
    assert!(
        paths(&finance["notes"])
            .iter()
            .all(|path| path.starts_with("2-Areas/"))
    );

    let status = client.answer("status", json!({}));
    assert_eq!(status["domains"][0]["domain"], "vault");
    assert_eq!(status["domains"][0]["notes"], all["n_notes"]);
}

#[test]
fn citations_are_checked_from_markdown_and_one_by_one() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    let quote = "Graphic designer, letterpress printer";
    let right = client.answer(
        "verify_citations",
        json!({"answer": format!("She is a \"{quote}\" [[April Jane]].")}),
    );
    assert_eq!(right["citations_status"], "all_verified", "{right}");
    let uri = "ken://vault/2-Areas/People/April%20Jane.md";
    let citations = json!([
        {"path": uri, "quote": quote},
        {"path": "April Jane", "quote": "Astronaut, letterpress printer"},
        {"path": "ken://elsewhere/April%20Jane.md", "quote": quote},
    ]);
    let mixed = client.answer("verify_citations", json!({"citations": citations}));
    assert_eq!(mixed["citations_status"], "has_mismatch");
    let reasons: Vec<&str> = mixed["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|verdict| verdict["citation_reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["match", "not_found", "no_chunk_text"]);
    let (error, _) = client.refusal("verify_citations", json!({}));
    assert!(error.contains("answer"), "{error}");
}

#[test]
fn wrong_arguments_are_refused_and_the_right_ones_named() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    let (error, hint) = client.refusal("search", json!({"query": "x", "domian": "vault"}));
    assert!(
        error.contains("`domian`") && hint.contains("`domain`"),
        "{error} {hint}"
    );
    let (error, _) = client.refusal("search", json!({}));
    assert!(error.contains("`query`"), "{error}");
    let (error, _) = client.refusal("search", json!({"query": "  "}));
    assert!(error.contains("nothing to look for"), "{error}");
    let (error, hint) = client.refusal("search", json!({"query": "x", "limit": 1000}));
    assert!(
        error.contains("`limit`") && hint.contains("100"),
        "{error} {hint}"
    );
    let (error, hint) = client.refusal("get", json!({"reference": "AJ", "domain": "nowhere"}));
    assert!(
        error.contains("nowhere") && hint.contains("vault"),
        "{error} {hint}"
    );
    let lost = client.ask("tools/call", json!({"name": "serch", "arguments": {}}));
    assert_eq!(lost["error"]["code"], -32602);
    assert!(
        lost["error"]["message"]
            .as_str()
            .unwrap()
            .contains("known tools: search")
    );
    assert_eq!(
        client.ask("tools/destroy", json!({}))["error"]["code"],
        -32601
    );
}

/// Two domains; what stands in the second must not be seen through the first.
fn two_domains() -> TestVault {
    let vault = TestVault::empty();
    for (domain, text) in [
        (
            "work",
            "# Plan\n\nThe quarterly plan of the team, see [[Diary]].\n",
        ),
        (
            "home",
            "# Diary\n\nThe secret xylophone lesson on Tuesday.\n",
        ),
    ] {
        let folder = vault.beside(domain);
        std::fs::create_dir(&folder).unwrap();
        let name = if domain == "work" {
            "Plan.md"
        } else {
            "Diary.md"
        };
        std::fs::write(folder.join(name), text).unwrap();
        let folder = folder.to_str().unwrap().to_owned();
        vault
            .bare_ken(&["domain", "add", domain, &folder])
            .expect_code(0);
        vault
            .bare_ken(&["index", "--domain", domain])
            .expect_code(0);
    }
    vault
}

#[test]
fn a_domain_that_is_not_served_does_not_exist() {
    let vault = two_domains();
    let mut client = Client::modern(&vault, &["--domain", "work"]);
    let found = client.answer("search", json!({"query": "xylophone", "mode": "lexical"}));
    assert_eq!(found["results"], json!([]));
    let uri = "ken://home/Diary.md";
    for (tool, arguments) in [
        ("search", json!({"query": "xylophone", "domain": "home"})),
        ("get", json!({"reference": "Diary"})),
        ("get", json!({"reference": uri})),
        ("get", json!({"reference": "../home/Diary.md"})),
        ("get", json!({"reference": vault.beside("home/Diary.md")})),
        ("links", json!({"reference": uri})),
        ("traverse", json!({"reference": uri})),
        ("list_notes", json!({"domain": "home"})),
        ("status", json!({"domain": "home"})),
        ("verify_citations", json!({"answer": "x", "domain": "home"})),
    ] {
        let (_, hint) = client.refusal(tool, arguments.clone());
        assert!(!hint.contains("home"), "{tool} {arguments}: {hint}");
    }
    for uri in [
        uri,
        "ken://work/../home/Diary.md",
        "ken://work/%2E%2E/home/Diary.md",
    ] {
        let lost = client.ask("resources/read", json!({"uri": uri}));
        assert_eq!(lost["error"]["code"], -32602, "{uri}");
    }
    let everything = [
        client.ask("server/discover", json!({})),
        client.ask("resources/list", json!({})),
        client.ask("tools/list", json!({})),
        client.answer("status", json!({})),
        client.answer("list_notes", json!({})),
        client.answer("multi_get", json!({"references": ["Diary"]})),
        client.answer(
            "verify_citations",
            json!({"citations": [{"path": "Diary", "quote": "secret xylophone lesson"}]}),
        ),
    ];
    for answer in everything {
        let text = answer.to_string();
        assert!(
            !text.contains("lesson on Tuesday") && !text.contains("home"),
            "{text}"
        );
    }
}

#[test]
fn all_domains_are_asked_where_none_is_named() {
    let vault = two_domains();
    let mut client = Client::modern(&vault, &["--domain", "work,home"]);
    let found = client.answer("search", json!({"query": "xylophone lesson"}));
    assert_eq!(found["results"][0]["path"], "Diary.md", "{found}");
    assert_eq!(found["results"][0]["domain"], "home");
    let found = client.answer(
        "search",
        json!({"query": "xylophone", "domain": "work", "mode": "lexical"}),
    );
    assert_eq!(found["results"], json!([]));
    assert_eq!(
        client.answer("get", json!({"reference": "Diary"}))["domain"],
        "home"
    );
    let listed = client.answer("list_notes", json!({"limit": 1, "offset": 1}));
    assert_eq!(
        (&listed["n_notes"], &listed["notes"][0]["domain"]),
        (&json!(2), &json!("home"))
    );
    let cited = json!({"citations": [{"path": "Diary", "quote": "secret xylophone lesson"}]});
    assert_eq!(
        client.answer("verify_citations", cited)["citations_status"],
        "all_verified"
    );
    // The settings know them as well.
    let mut client = Client::modern(&vault, &["--quiet"]);
    let status = client.answer("status", json!({}));
    assert_eq!(status["domains"].as_array().unwrap().len(), 2, "{status}");
}

#[test]
fn tools_are_printed_for_other_agent_loops() {
    let vault = TestVault::empty();
    let names = |style: &str, of: fn(&Value) -> (&Value, &Value)| {
        let list = vault
            .bare_ken(&["tools", "--style", style])
            .expect_code(0)
            .json();
        for tool in list.as_array().unwrap() {
            let (name, schema) = of(tool);
            check_plain(schema, &name.to_string());
            assert_eq!(schema["type"], "object");
        }
        let list = list.as_array().unwrap().iter();
        list.map(|tool| of(tool).0.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names("anthropic", |tool| (&tool["name"], &tool["input_schema"])),
        TOOLS
    );
    for style in ["openai", "ollama"] {
        let of: fn(&Value) -> (&Value, &Value) = |tool| {
            assert_eq!(tool["type"], "function");
            (&tool["function"]["name"], &tool["function"]["parameters"])
        };
        assert_eq!(names(style, of), TOOLS);
    }
}

#[test]
fn links_to_notes_come_with_answers_where_they_are_asked_for() {
    let vault = indexed();
    std::fs::write(
        vault.beside("config.toml"),
        "[mcp]\nresource_links = true\n",
    )
    .unwrap();
    let mut client = Client::modern(&vault, &[]);
    for (tool, arguments) in [
        ("search", json!({"query": "kitchen floor"})),
        ("get", json!({"reference": "AJ"})),
    ] {
        let result = client.call(tool, arguments);
        let link = &result["content"][1];
        assert_eq!(link["type"], "resource_link", "{tool}");
        let read = client.ask("resources/read", json!({"uri": link["uri"]}))["result"].take();
        assert!(read["contents"][0]["text"].is_string(), "{read}");
        assert_eq!(read["contents"][0]["mimeType"], "text/markdown");
    }
}

#[test]
fn a_repository_is_served_only_when_it_is_named() {
    let vault = TestVault::empty();
    let repository = vault.beside("shop");
    std::fs::create_dir_all(repository.join(".git")).unwrap();
    std::fs::write(
        repository.join("README.md"),
        "# Shop\n\nA xylophone shop.\n",
    )
    .unwrap();
    let bare = |args: &[&str]| {
        let mut command = vault.bare_command(args);
        command.current_dir(&repository);
        crate::vault::finish(command)
    };
    bare(&["mcp"]).expect_hint("no domains to serve", "ken mcp --vault .");
    assert!(!vault.beside("data").exists(), "nothing was indexed");
    let root = repository.to_str().unwrap();
    let mut client = Client::modern(&vault, &["--vault", root]);
    let status = client.answer("status", json!({}));
    assert_eq!(status["domains"][0]["domain"], "shop");
    // A folder of notes is one without being named.
    std::fs::create_dir(repository.join(".obsidian")).unwrap();
    bare(&["mcp"]).expect_code(0);
}
