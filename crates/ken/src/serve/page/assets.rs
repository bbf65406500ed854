//! The files of the page, compiled in. Each is known by a hash, so that a browser asks for it once.

use std::sync::LazyLock;

use axum::extract::{Path, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::super::problem::Problem;

/// One file.
struct File {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
    /// Changes with the bytes.
    tag: HeaderValue,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

macro_rules! files {
    ($($kind:expr => [$($name:literal),* $(,)?]),* $(,)?) => {
        vec![$($(File::new(
            $name,
            $kind,
            include_bytes!(concat!("../../../assets/page/", $name)),
        )),*),*]
    };
}

static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    files![
        SCRIPT => [
            "api.js", "app.js", "ask.js", "calendar.js", "chart.js", "chips.js", "dom.js", "domains.js", "facets.js", "find.js",
            "graph.js", "hit.js", "keep.js", "keys.js", "layout.js", "map.js", "note.js", "passage.js", "places.js",
            "plane.js", "prose.js", "review.js", "scope.js", "see.js", "state.js", "turn.js", "walk.js",
        ],
        STYLE => ["style.css", "views.css"],
        "image/svg+xml" => ["icon.svg"],
        "image/png" => ["icon-180.png", "icon-192.png", "icon-512.png", "icon-mask-512.png"],
        "application/manifest+json" => ["manifest.json"],
    ]
});

impl File {
    fn new(name: &'static str, kind: &'static str, bytes: &'static [u8]) -> Self {
        let hash = blake3::hash(bytes).to_hex();
        let tag = HeaderValue::from_str(&format!("W/\"{}\"", &hash[..16]));
        Self {
            name,
            kind,
            bytes,
            tag: tag.expect("a hash is plain text"),
        }
    }
}

pub(super) async fn file(Path(name): Path<String>, request: Request) -> Result<Response, Problem> {
    let file = FILES.iter().find(|file| file.name == name);
    let Some(file) = file else {
        return Err(Problem::new(
            StatusCode::NOT_FOUND,
            "the page has no such file",
        ));
    };
    // Asked about each time, so that a newer program brings a newer page; sent only once.
    let cached = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::ETAG, file.tag.clone()),
    ];
    let known = request.headers().get(header::IF_NONE_MATCH);
    if known.is_some_and(|known| *known == file.tag) {
        return Ok((StatusCode::NOT_MODIFIED, cached).into_response());
    }
    let kind = [(header::CONTENT_TYPE, file.kind)];
    Ok((cached, kind, file.bytes).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_compiled_in_and_every_import_is_there() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/page");
        let names = std::fs::read_dir(folder).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        for name in names.filter(|name| {
            ![".html", ".d.ts", "tsconfig.json"]
                .iter()
                .any(|end| name.ends_with(end))
        }) {
            assert!(FILES.iter().any(|file| file.name == name), "{name}");
        }
        for file in FILES.iter().filter(|file| file.kind == SCRIPT) {
            let text = std::str::from_utf8(file.bytes).unwrap();
            for import in text.split("from \"./").skip(1) {
                let import = import.split('"').next().unwrap();
                let is_there = FILES.iter().any(|file| file.name == import);
                assert!(is_there, "{} imports {import}", file.name);
            }
        }
    }
}
