//! What somebody may have meant who typed a name that there is not.

use strsim::osa_distance;

/// Letters of a name for each slip that it may have.
const LETTERS_PER_SLIP: usize = 3;

/// Returns the name that is nearest to what was typed, if it is near at all.
pub(crate) fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut near = all_near(typed, names);
    match near.is_empty() {
        true => None,
        false => Some(near.swap_remove(0)),
    }
}

/// Returns the names that are near to what was typed, the nearest first. One that begins with it is near,
/// too.
pub(crate) fn all_near<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let n_letters = typed.chars().count();
    let most = (n_letters / LETTERS_PER_SLIP).clamp(1, 3);
    let mut near: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let lower = name.to_lowercase();
        let is_start = n_letters >= LETTERS_PER_SLIP && lower.starts_with(&typed);
        // Names of quite another length are not worth the work.
        let is_alike = lower.chars().count().abs_diff(n_letters) <= most;
        let n_slips = match (is_start, is_alike) {
            (true, _) => 1,
            (false, true) => osa_distance(&typed, &lower),
            (false, false) => continue,
        };
        if n_slips <= most {
            near.push((n_slips, name));
        }
    }
    near.sort();
    near.dedup_by(|a, b| a.1 == b.1);
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_beginnings_are_near() {
        let names = ["April Jane", "Boiler", "Boiler Service", "Roof"];
        let check = |typed: &str, expected: &[&str]| {
            assert_eq!(all_near(typed, names.into_iter()), expected, "{typed}");
        };
        check("aprl jane", &["April Jane"]);
        check("biler", &["Boiler"]);
        check("boiler", &["Boiler", "Boiler Service"]);
        check("roo", &["Roof"]);
        check("gutter", &[]);
    }
}
