//! `ken eval` on a vault: hand-written questions, what notes are called, and the gate of CI.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::vault::{Run, TestVault, repository};

fn in_repository(path: &str) -> String {
    repository().join(path).to_str().unwrap().to_owned()
}

/// Runs the golden questions of the example vault against saved figures.
fn gate(vault: &TestVault, baseline: &str, more: &[&str]) -> Run {
    let (golden, notes) = (
        in_repository("eval/golden.toml"),
        in_repository("examples/vault"),
    );
    let mut args = vec!["eval", &golden, "--vault", &notes, "--baseline", baseline];
    args.extend(more);
    vault.bare_ken(&args)
}

#[test]
fn golden_questions_do_as_well_as_they_did() {
    let vault = TestVault::empty();
    let run = gate(&vault, &in_repository("eval/baseline.json"), &[]).expect_code(0);
    // Every note that is named exists, and every question is compared.
    assert_eq!(run.stderr, "", "{}", run.stdout);
}

/// Evidence must say what is so: the part of the questions that the example vault is asked.
#[test]
fn the_grade_knows_when_the_notes_do_not_say() {
    let vault = TestVault::empty();
    let (questions, notes) = (
        in_repository("eval/unanswerable.toml"),
        in_repository("examples/vault"),
    );
    let ask = |more: &[&str]| {
        let mut args = vec!["eval", &questions, "--vault", &notes, "--gate"];
        args.extend(more);
        vault.bare_ken(&args)
    };
    let run = ask(&[]).expect_code(0);
    // Every note that is named exists.
    assert_eq!(run.stderr, "", "{}", run.stdout);
    let figures = ask(&["--json"]).expect_code(0).json();
    let found = &figures["abstention"];
    assert!(found["absent"].as_u64() >= Some(20), "{found}");
    assert!(found["answerable"].as_u64() >= Some(20), "{found}");
    assert!(found["auroc"].as_f64() > Some(0.95), "{found}");
}

#[test]
fn evidence_that_says_what_is_not_so_fails_with_the_questions() {
    let vault = TestVault::example();
    let query = |text: &str, rest: &str| format!("[[query]]\ntext = \"{text}\"\n{rest}\n");
    let questions = query("north gutter repair in October", "kind = \"absent\"")
        + &query(
            "giraffes of the savannah",
            "relevant = [\"2-Areas/Home/Boiler.md\"]",
        );
    fs::write(vault.beside("wrong.toml"), questions).unwrap();
    vault.ken(&["eval", "wrong.toml"]).expect_code(0);
    let run = vault.ken(&["eval", "wrong.toml", "--gate"]).expect_code(1);
    assert!(run.stderr.contains("what is not so"), "{}", run.stderr);
    for text in ["north gutter repair in October", "giraffes of the savannah"] {
        let is_it = |line: &str| line.starts_with("  ") && line.ends_with(text);
        assert!(run.stdout.lines().any(is_it), "{}", run.stdout);
    }
}

#[test]
fn a_file_may_hold_the_questions_of_several_vaults() {
    let vault = TestVault::example();
    let query = |of: &str, text: &str| {
        let note = "2-Areas/Home/Boiler.md";
        format!("[[query]]\nvault = \"{of}\"\ntext = \"{text}\"\nrelevant = [\"{note}\"]\n")
    };
    let own = query("vault", "boiler pressure");
    fs::write(
        vault.beside("two.toml"),
        own + &query("elsewhere", "heating"),
    )
    .unwrap();
    let figures = vault
        .ken(&["eval", "two.toml", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(figures["queries"], 1);
    assert_eq!(figures["questions"][0]["id"], "boiler pressure");
    fs::write(vault.beside("other.toml"), query("elsewhere", "heating")).unwrap();
    vault
        .ken(&["eval", "other.toml"])
        .expect_hint("no question to this vault", "name a vault");
}

#[test]
fn a_worse_ranking_fails_with_the_questions_that_lost() {
    let vault = TestVault::empty();
    fs::write(
        vault.beside("config.toml"),
        "[search]\nfusion = \"rrf\"\nlexical_weight = 0.0\n",
    )
    .unwrap();
    let baseline = in_repository("eval/baseline.json");
    let run = gate(&vault, &baseline, &[]).expect_code(1);
    assert!(
        run.stderr.contains("hybrid search is worse than"),
        "{}",
        run.stderr
    );
    let change = gate(&vault, &baseline, &["--json"]).expect_code(1).json();
    let change = &change["baseline"];
    assert_eq!(change["is_regression"], true);
    assert!(change["mean_difference"].as_f64().unwrap() < -0.005);
    let lost = change["lost"].as_array().unwrap();
    assert!(!lost.is_empty());
    for question in lost {
        assert!(question["after"].as_f64().unwrap() < question["before"].as_f64().unwrap());
        assert!(
            run.stdout.contains(question["id"].as_str().unwrap()),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn edited_figures_are_noticed() {
    let vault = TestVault::empty();
    let text = fs::read_to_string(repository().join("eval/baseline.json")).unwrap();
    let mut saved: Value = serde_json::from_str(&text).unwrap();
    let mut edited = Vec::new();
    for question in saved["questions"].as_array_mut().unwrap() {
        let figure = &mut question["ndcg_at_10"]["hybrid"];
        if figure.as_f64().unwrap() < 0.9 {
            *figure = 1.0.into();
            edited.push(question["id"].as_str().unwrap().to_owned());
        }
    }
    assert!(edited.len() > 2);
    fs::write(vault.beside("edited.json"), saved.to_string()).unwrap();
    let run = gate(&vault, "edited.json", &[]).expect_code(1);
    for id in edited {
        let is_it =
            |line: &str| line.contains("  1.0000 -> ") && line.ends_with(&format!("  {id}"));
        assert!(run.stdout.lines().any(is_it), "{id}: {}", run.stdout);
    }
}

#[test]
fn the_saved_file_is_what_save_writes() {
    let vault = TestVault::empty();
    let (golden, notes) = (
        in_repository("eval/golden.toml"),
        in_repository("examples/vault"),
    );
    vault
        .bare_ken(&["eval", &golden, "--vault", &notes, "--save", "now.json"])
        .expect_code(0);
    let shape = |path: PathBuf| -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        let ids = text
            .lines()
            .filter_map(|line| line.split(",\"ndcg_at_10\"").next());
        ids.map(str::to_owned).collect()
    };
    assert_eq!(
        shape(vault.beside("now.json")),
        shape(repository().join("eval/baseline.json")),
        "make it anew: ken eval eval/golden.toml --vault examples/vault --save eval/baseline.json"
    );
}

#[test]
fn golden_figures_come_by_kind_and_with_abstention() {
    let vault = TestVault::example();
    let golden = in_repository("eval/golden.toml");
    let figures = vault
        .ken(&["eval", &golden, "--json"])
        .expect_code(0)
        .json();
    assert_eq!(figures["collection"], "golden");
    for kind in ["name", "alias", "paraphrase", "german"] {
        for mode in ["lexical", "vector", "hybrid"] {
            let figure = &figures["kinds"][kind][mode];
            for key in ["ndcg_at_10", "recall_at_10", "mrr_at_10", "precision_at_1"] {
                assert!(figure[key].as_f64().unwrap() <= 1.0, "{kind} {mode} {key}");
            }
        }
    }
    assert_eq!(figures["kinds"]["name"]["hybrid"]["ndcg_at_10"], 1.0);
    let found = &figures["abstention"];
    assert!(found["absent"].as_u64() > Some(5));
    assert!(found["auroc"].as_f64() > Some(0.7), "{found}");
    let n_questions = figures["questions"].as_array().unwrap().len();
    assert_eq!(figures["queries"], n_questions);
    assert_eq!(found["answerable"], n_questions);
}

#[test]
fn a_broken_golden_file_is_told_with_what_was_meant() {
    let vault = TestVault::example();
    let check = |text: &str, message: &str, hint: &str| {
        fs::write(vault.beside("golden.toml"), text).unwrap();
        vault
            .ken(&["eval", "golden.toml"])
            .expect_hint(message, hint);
    };
    let query = "[[query]]\ntext = \"x\"\n";
    check(
        &format!("{query}relevnt = [\"a.md\"]\n"),
        "golden.toml: line 3: unknown field `relevnt`",
        "did you mean `relevant`?",
    );
    check(
        "[[querry]]\n",
        "line 1: unknown field `querry`",
        "did you mean `query`?",
    );
    check(query, "\"x\" has no relevant notes", "kind = \"absent\"");
    let answered = format!("{query}relevant = [\"a.md\"]\n");
    check(
        &format!("{answered}kind = \"absent\"\n"),
        "is absent but",
        "leave one out",
    );
    check(
        &format!("{answered}grades = [1, 2]\n"),
        "has grades",
        "above 0",
    );
    check(
        &format!("{answered}grades = [0]\n"),
        "has grades",
        "above 0",
    );
    check(&format!("{answered}{answered}"), "asked twice", "keep one");
}

#[test]
fn a_note_that_does_not_exist_is_told() {
    let vault = TestVault::example();
    fs::write(
        vault.beside("golden.toml"),
        "[[query]]\ntext = \"boiler\"\nrelevant = [\"Boiler.md\"]\n",
    )
    .unwrap();
    let run = vault.ken(&["eval", "golden.toml"]).expect_code(0);
    assert_eq!(run.stderr, "not in the vault: Boiler.md (boiler)\n");
}

#[test]
fn a_baseline_must_fit() {
    let vault = TestVault::example();
    fs::write(
        vault.beside("golden.toml"),
        "[[query]]\ntext = \"boiler\"\nrelevant = [\"2-Areas/Home/Boiler.md\"]\n",
    )
    .unwrap();
    let check = |saved: &str, message: &str| {
        fs::write(vault.beside("saved.json"), saved).unwrap();
        vault
            .ken(&["eval", "golden.toml", "--baseline", "saved.json"])
            .expect_hint(message, "--save FILE");
    };
    check("{\"questions\":[]}", "no question in common");
    check("{}", "missing field");
    vault
        .ken(&["eval", "golden.toml", "--baseline", "nowhere.json"])
        .expect_code(2);
}

#[test]
fn a_vault_is_measured_by_what_its_notes_are_called() {
    let vault = TestVault::example();
    let figures = vault
        .ken(&["eval", "--label-free", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(figures["collection"], "vault");
    for kind in ["alias", "title", "heading", "link"] {
        assert!(
            figures["kinds"][kind]["queries"].as_u64() > Some(5),
            "{kind}"
        );
    }
    // Who is called by name comes first.
    assert_eq!(figures["kinds"]["alias"]["hybrid"]["mrr_at_10"], 1.0);
    let again = vault.ken(&["eval", "--label-free", "--json"]).json();
    assert_eq!(figures["questions"], again["questions"]);
    let table = vault.ken(&["eval", "--label-free"]).expect_code(0).stdout;
    assert!(table.contains("\nnDCG@10 of"), "{table}");
}

#[test]
fn weights_are_proposed_and_nothing_is_changed() {
    let vault = TestVault::example();
    let settings = "[search]\nvector_share = 1.0\n";
    fs::write(vault.beside("config.toml"), settings).unwrap();
    let run = vault.ken(&["eval", "--tune"]).expect_code(0);
    assert!(run.stdout.contains("vector_share"), "{}", run.stdout);
    assert_eq!(
        fs::read_to_string(vault.beside("config.toml")).unwrap(),
        settings
    );
    let proposal = vault
        .ken(&["eval", "--tune", "--json"])
        .expect_code(0)
        .json();
    // Lines to put into the settings stand there only for a gain that is not luck.
    let is_sure = proposal["p"].as_f64().is_some_and(|p| p < 0.05);
    assert!(proposal["is_gain"] == is_sure || proposal["is_gain"] == false);
    let proposes = run.stdout.contains("\n[search]\n");
    assert_eq!(proposes, proposal["is_gain"] == true, "{}", run.stdout);
}

#[test]
fn collections_are_asked_what_they_cannot_answer() {
    let vault = TestVault::empty();
    for (name, topics) in [
        ("kitchen", ["sourdough starter", "cast iron pan"]),
        ("ships", ["quinquereme oars", "capstan bars"]),
    ] {
        let folder = vault.beside(name);
        fs::create_dir(&folder).unwrap();
        let line = |id: usize, text: &str| format!("{{\"_id\":\"{id}\",\"text\":\"{text}\"}}\n");
        let all = |form: &dyn Fn(&str) -> String| -> String {
            (0..)
                .zip(topics)
                .map(|(id, topic)| line(id, &form(topic)))
                .collect()
        };
        let corpus = all(&|topic| format!("All about the {topic} and its care."));
        fs::write(folder.join("corpus.jsonl"), corpus).unwrap();
        fs::write(folder.join("queries.jsonl"), all(&str::to_owned)).unwrap();
        fs::write(
            folder.join("qrels.tsv"),
            "query-id\tcorpus-id\tscore\n0\t0\t1\n1\t1\t1\n",
        )
        .unwrap();
    }
    let figures = vault
        .bare_ken(&["eval", "--answerability", "kitchen", "ships", "--json"])
        .expect_code(0)
        .json();
    let first = &figures["collections"][0];
    assert_eq!(first["collection"], "kitchen");
    assert_eq!(first["questions_of"], "ships");
    assert_eq!(figures["collections"][1]["questions_of"], "kitchen");
    assert_eq!(figures["mean_auroc"], 1.0, "{figures}");
    let table = vault
        .bare_ken(&["eval", "--answerability", "kitchen", "ships"])
        .expect_code(0);
    assert_eq!(table.stdout.lines().count(), 4, "{}", table.stdout);
    vault
        .bare_ken(&["eval", "--answerability", "kitchen"])
        .expect_code(2);
}

#[test]
fn there_must_be_something_to_ask() {
    let vault = TestVault::example();
    for args in [
        &["eval"][..],
        &["eval", "x.toml", "--label-free"],
        &["eval", "--tune", "--save", "x"],
    ] {
        assert_eq!(vault.ken(args).code, 2);
    }
}
