//! Masking keeps lines, names lines that exist, and leaves nothing to mask.
#![no_main]

use kenning::secrets;
use kenning_fuzz::remember;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    remember(input);
    let text = String::from_utf8_lossy(input);
    let n_lines = text.matches('\n').count();
    let (clean, findings) = secrets::mask(text.clone().into_owned());
    assert_eq!(clean.matches('\n').count(), n_lines, "lines are kept");
    assert!(findings.is_sorted());
    for finding in &findings {
        assert!((1..=n_lines + 1).contains(&(finding.line as usize)));
        assert!(clean.contains(&format!("[REDACTED:{}]", finding.pattern)));
    }
    assert_eq!(findings.is_empty(), *clean == *text);
    let (again, more) = secrets::mask(clean.as_str().to_owned());
    assert!(more.is_empty(), "masking again finds {more:?}");
    assert_eq!(again, clean);
});
