//! Prints what hooks did.

use super::{ago, inline};
use crate::wire::Receipt;

/// Returns one call as a line.
pub(crate) fn receipt(receipt: &Receipt, now: i64) -> String {
    let given = match receipt.given.len() {
        0 => receipt.why.clone(),
        _ => format!("{} · {} chars", receipt.given.join(" "), receipt.chars),
    };
    let used = match receipt.used.len() {
        0 => String::new(),
        _ => format!(" · used {}", receipt.used.join(" ")),
    };
    let age = receipt
        .index_age_s
        .map_or(String::new(), |age| format!(" · index {} old", ago(age)));
    let line = format!(
        "{:>8} ago  {:<13} {:>4} ms  {given}{used}{age}",
        ago((now - receipt.time).max(0)),
        receipt.event,
        receipt.ms
    );
    format!("{}\n", inline(&line))
}
