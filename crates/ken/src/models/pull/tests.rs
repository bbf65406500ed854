//! A hub on loopback that breaks off, sends on, lies, or knows nothing of ranges.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use super::*;
use crate::settings::Proxies;

fn tiny() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/models/tiny-wordpiece")
}

/// The tiny model as a known one, with the checksums that its files have.
fn known_tiny() -> Known {
    let file = |name: &'static str| -> (&'static str, &'static str) {
        (name, digest(&tiny().join(name)).unwrap().leak())
    };
    let files = vec![
        file("model.onnx"),
        file("tokenizer.json"),
        file("config.json"),
    ];
    Known {
        name: "tiny",
        told: "for tests",
        repository: "someone/tiny",
        revision: "abc",
        files: files.leak(),
    }
}

/// How the hub behaves.
#[derive(Clone, Copy, PartialEq)]
enum Mood {
    Fine,
    /// Sends half of what is asked for, and ends.
    Short,
    /// Knows nothing of ranges, and sends half of a file the first time.
    Whole,
    /// Sends on to another path of its own.
    SendsOn,
    /// Sends something else.
    Lies,
    Fails,
}

type Asked = Arc<Mutex<Vec<(String, Option<u64>)>>>;

fn hub(mood: Mood) -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked: Asked = Arc::default();
    let told = Arc::clone(&asked);
    thread::spawn(move || {
        for stream in listener.incoming() {
            serve(stream.unwrap(), mood, &told);
        }
    });
    (format!("http://{address}"), asked)
}

fn serve(mut stream: TcpStream, mood: Mood, asked: &Asked) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut path, mut from) = (String::new(), None);
    for line in reader.by_ref().lines() {
        let line = line.unwrap();
        if let Some(rest) = line.strip_prefix("GET ") {
            path = rest.split(' ').next().unwrap().to_owned();
        }
        if let Some(range) = line.to_lowercase().strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse::<u64>().ok();
        }
        if line.is_empty() {
            break;
        }
    }
    let n_before = asked.lock().unwrap().len();
    asked.lock().unwrap().push((path.clone(), from));
    let prefix = "/someone/tiny/resolve/abc/";
    if mood == Mood::SendsOn && path.starts_with(prefix) {
        let to = path.replace(prefix, "/kept/");
        let head = format!(
            "HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
        return stream.write_all(head.as_bytes()).unwrap();
    }
    let name = path.trim_start_matches(prefix).trim_start_matches("/kept/");
    let file = std::fs::read(tiny().join(name)).unwrap_or_default();
    if mood == Mood::Fails || file.is_empty() {
        let head = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        return stream.write_all(head.as_bytes()).unwrap();
    }
    let start = from.filter(|_| mood != Mood::Whole).unwrap_or(0) as usize;
    let mut body = file[start.min(file.len())..].to_vec();
    let status = match start {
        0 => "200 OK\r\n".to_owned(),
        _ => format!(
            "206 Partial Content\r\ncontent-range: bytes {start}-{}/{}\r\n",
            file.len() - 1,
            file.len()
        ),
    };
    let head = format!(
        "HTTP/1.1 {status}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    if mood == Mood::Lies {
        body.fill(b'x');
    }
    if mood == Mood::Short && body.len() > 4_000 || mood == Mood::Whole && n_before == 0 {
        body.truncate(body.len() / 2);
    }
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&body);
}

fn origin(mirror: &str, folder: Option<PathBuf>) -> ModelsOrigin {
    ModelsOrigin {
        mirror: mirror.to_owned(),
        folder,
        proxies: Proxies::default(),
    }
}

fn pulled(models: &Path, mood: Mood) -> (Result<Installed>, Asked) {
    let (url, asked) = hub(mood);
    let pulled = pull(models, &known_tiny(), &origin(&url, None), &|_, _, _| {});
    (pulled, asked)
}

#[test]
fn a_model_comes_whole_however_the_hub_behaves() {
    for mood in [Mood::Fine, Mood::Short, Mood::Whole, Mood::SendsOn] {
        let models = tempfile::tempdir().unwrap();
        let (pulled, asked) = pulled(models.path(), mood);
        let installed = pulled.unwrap();
        assert_eq!((installed.name.as_str(), installed.dimensions), ("tiny", 8));
        let left: Vec<_> = std::fs::read_dir(models.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "what was fetched is put away");
        let asked = asked.lock().unwrap();
        let is_resumed = asked
            .iter()
            .any(|(_, from)| from.is_some_and(|from| from > 0));
        assert_eq!(is_resumed, matches!(mood, Mood::Short | Mood::Whole));
        assert!(super::super::find(models.path(), "tiny").is_some());
        let again = pull(
            models.path(),
            &known_tiny(),
            &origin("", None),
            &|_, _, _| {},
        );
        assert!(again.unwrap_err().to_string().contains("already"));
    }
}

#[test]
fn another_file_than_the_pinned_one_is_not_taken() {
    let models = tempfile::tempdir().unwrap();
    let (lied, _) = pulled(models.path(), Mood::Lies);
    let error = lied.unwrap_err().to_string();
    assert!(
        error.contains("SHA-256") && error.contains("model.onnx"),
        "{error}"
    );
    assert!(super::super::all(models.path()).is_empty());
    let (failed, asked) = pulled(models.path(), Mood::Fails);
    assert!(failed.unwrap_err().to_string().contains("404"));
    assert_eq!(
        asked.lock().unwrap().len(),
        1,
        "what is not there is not asked for again"
    );
    // What is left of both does not spoil the next run.
    assert!(pulled(models.path(), Mood::Fine).0.is_ok());
}

#[test]
fn a_folder_will_do_without_a_network() {
    let (models, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let inner = folder.path().join("someone/tiny");
    std::fs::create_dir_all(&inner).unwrap();
    for name in ["model.onnx", "config.json"] {
        std::fs::copy(tiny().join(name), inner.join(name)).unwrap();
    }
    let from = origin("http://127.0.0.1:9", Some(folder.path().to_owned()));
    let missing = pull(models.path(), &known_tiny(), &from, &|_, _, _| {}).unwrap_err();
    assert!(missing.to_string().contains("tokenizer.json"), "{missing}");
    std::fs::copy(tiny().join("tokenizer.json"), inner.join("tokenizer.json")).unwrap();
    assert!(pull(models.path(), &known_tiny(), &from, &|_, _, _| {}).is_ok());
}

#[test]
fn the_table_is_well_formed() {
    for known in &super::super::known::ALL {
        assert!(known.revision.len() == 40 && known.repository.contains('/'));
        assert!(known.files.iter().any(|(path, _)| path.ends_with(".onnx")));
        for (path, sha256) in known.files {
            assert!(
                sha256.len() == 64 && sha256.bytes().all(|b| b.is_ascii_hexdigit()),
                "{path}"
            );
        }
        assert_eq!(super::known(known.name).unwrap().revision, known.revision);
    }
    assert!(
        super::known("nothing")
            .unwrap_err()
            .to_string()
            .contains("nothing")
    );
}
