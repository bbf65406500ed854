//! Which hits a client of Miyo wants: by path, folder and time.

use kenning::vault::PathList;

use crate::serve::problem::Problem;
use crate::wire::compat::{MiyoFilter, MiyoHit};

/// Times beyond this are milliseconds: in seconds it is the year 5138.
const SECONDS_MAX: f64 = 1e11;

/// What is left out after the search.
pub(super) struct Sieve {
    pub(super) filters: Vec<MiyoFilter>,
    pub(super) path: Option<String>,
    pub(super) excluded: PathList,
}

impl Sieve {
    pub(super) fn is_open(&self) -> bool {
        self.filters.is_empty() && self.path.is_none() && self.excluded.is_empty()
    }

    /// Whether a path below the vault lies in a folder that is not wanted.
    pub(super) fn excludes(&self, path: &str) -> bool {
        !self.excluded.is_empty() && self.excluded.has(path)
    }

    pub(super) fn passes(&self, hit: &MiyoHit) -> bool {
        let has_path = self
            .path
            .as_ref()
            .is_none_or(|part| hit.path.to_lowercase().contains(part));
        has_path
            && self
                .filters
                .iter()
                .all(|filter| lies_within(filter, hit.mtime))
    }
}

/// Whether a time in seconds lies in a range; who does not have one lies nowhere.
fn lies_within(filter: &MiyoFilter, mtime: Option<i64>) -> bool {
    let is_all = |bound: Option<f64>, holds: fn(f64, f64) -> bool| {
        bound.is_none_or(|bound| mtime.is_some_and(|mtime| holds(mtime as f64, seconds(bound))))
    };
    is_all(filter.gt, |a, b| a > b)
        && is_all(filter.gte, |a, b| a >= b)
        && is_all(filter.lt, |a, b| a < b)
        && is_all(filter.lte, |a, b| a <= b)
}

/// Times come in seconds or in milliseconds.
pub(super) fn seconds(bound: f64) -> f64 {
    match bound > SECONDS_MAX {
        true => bound / 1e3,
        false => bound,
    }
}

pub(super) fn folders_of(names: Option<Vec<String>>) -> Result<PathList, Problem> {
    PathList::new(&names.unwrap_or_default()).map_err(|error| Problem::bad(error.to_string()))
}

pub(super) fn checked(filters: Option<Vec<MiyoFilter>>) -> Result<Vec<MiyoFilter>, Problem> {
    let filters = filters.unwrap_or_default();
    match filters.iter().find(|filter| filter.field != "mtime") {
        Some(filter) => Err(Problem::bad(format!(
            "filters are for mtime only, not for {:?}",
            filter.field
        ))
        .hint("write properties into the query, such as [status:done]")),
        None => Ok(filters),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_compared_in_seconds() {
        let check = |gte: f64, mtime: Option<i64>, expected: bool| {
            let filter = MiyoFilter {
                field: "mtime".to_owned(),
                gt: None,
                gte: Some(gte),
                lt: None,
                lte: None,
            };
            assert_eq!(lies_within(&filter, mtime), expected, "{gte} {mtime:?}");
        };
        check(1_700_000_000.0, Some(1_700_000_000), true);
        check(1_700_000_001.0, Some(1_700_000_000), false);
        check(1_700_000_000_000.0, Some(1_700_000_000), true);
        check(1_700_000_001_000.0, Some(1_700_000_000), false);
        check(0.0, None, false);
    }
}
