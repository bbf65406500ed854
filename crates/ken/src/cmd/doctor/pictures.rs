//! Whether pictures can be read, and what to install for it. That they cannot is no fault: notes are found without.

use super::Checks;
use crate::args::Place;
use crate::reader::pictures::{Installed, name_of_language};
use crate::runtime;
use crate::settings::Settings;

pub(super) fn check(settings: &Settings, place: &Place, checks: &mut Checks) {
    if !settings.wants_pictures() {
        checks.good("pictures", "not read, as the settings say");
        return;
    }
    let wanted = languages(settings, place);
    let Some(tools) = settings.picture_tools() else {
        let install = install(&wanted);
        checks.good(
            "pictures",
            &format!("not read: tesseract is not installed; {install}"),
        );
        return;
    };
    let Some(installed) = Installed::ask(&tools) else {
        let program = tools.program.display();
        let error = format!("{program} does not answer");
        checks.bad(
            "pictures",
            &crate::hint::Hinted::error(error, "try `tesseract --version`"),
        );
        return;
    };
    let heic = match tools.heic_converter {
        Some(_) => "",
        None => "; no HEIC, which needs heif-dec or heif-convert (Debian: libheif-examples)",
    };
    let is_missing = |name: &&'static str| !installed.languages.iter().any(|one| one == name);
    let missing: Vec<_> = wanted.into_iter().filter(is_missing).collect();
    let missing = match missing.is_empty() {
        true => String::new(),
        false => format!(
            "; notes are also in {}: {}",
            missing.join(", "),
            install(&missing)
        ),
    };
    let found = installed.languages.join(", ");
    let told = format!("read by {} ({found}){heic}{missing}", installed.version);
    checks.good("pictures", &told);
}

/// Returns what tesseract calls the languages of the notes, commonest first.
fn languages(settings: &Settings, place: &Place) -> Vec<&'static str> {
    let mut all = Vec::new();
    for located in settings.locate_all(place).unwrap_or_default() {
        let meta = runtime::store(&located).and_then(|store| Ok(store.meta()?.languages.clone()));
        for (language, _) in meta.unwrap_or_default() {
            let name = name_of_language(language);
            all.extend(name.filter(|name| !all.contains(name)));
        }
    }
    all.truncate(3);
    all
}

fn install(languages: &[&str]) -> String {
    let of = |language: &&str| format!(" tesseract-ocr-{language}");
    let packages: String = languages
        .iter()
        .filter(|one| **one != "eng")
        .map(of)
        .collect();
    format!(
        "install it: `apt install tesseract-ocr{packages}`, `dnf install tesseract`, `brew install tesseract tesseract-lang`"
    )
}
