//! What a change would do, as a unified diff that `patch` and people read.

use crate::write::Change;

/// Lines around a change.
const N_AROUND: usize = 3;
/// Lines that may differ before a piece is shown as replaced altogether: looking for the shortest way costs
/// the square of it.
const N_DIFFERENT_MAX: usize = 1500;

/// Shows changes of files.
pub fn unified(changes: &[Change]) -> String {
    changes.iter().map(of_change).collect()
}

fn of_change(change: &Change) -> String {
    let before = change.before.as_ref().map(|seen| &*seen.bytes);
    let name = |side: &str, bytes: Option<&[u8]>| match bytes {
        Some(_) => format!("{side}/{}", change.path),
        None => "/dev/null".to_owned(),
    };
    let after = change.after.as_deref();
    let mut out = format!("--- {}\n+++ {}\n", name("a", before), name("b", after));
    let before = String::from_utf8_lossy(before.unwrap_or_default());
    let after = String::from_utf8_lossy(after.unwrap_or_default());
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let steps = steps(&before, &after);
    for hunk in hunks(&steps) {
        out += &shown(&steps[hunk], &before, &after);
    }
    out
}

/// One line of a diff: what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// It stays; where it stands before and after.
    Keep(usize, usize),
    Delete(usize, usize),
    Insert(usize, usize),
}

fn steps(before: &[&str], after: &[&str]) -> Vec<Step> {
    let n_first = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let rest = before[n_first..]
        .iter()
        .rev()
        .zip(after[n_first..].iter().rev());
    let n_last = rest.take_while(|(a, b)| a == b).count();
    let (old, new) = (
        &before[n_first..before.len() - n_last],
        &after[n_first..after.len() - n_last],
    );
    let mut steps: Vec<Step> = (0..n_first).map(|at| Step::Keep(at, at)).collect();
    steps.extend(shortest(old, new).into_iter().map(|step| match step {
        Step::Keep(a, b) => Step::Keep(a + n_first, b + n_first),
        Step::Delete(a, b) => Step::Delete(a + n_first, b + n_first),
        Step::Insert(a, b) => Step::Insert(a + n_first, b + n_first),
    }));
    let ends = (0..n_last).rev();
    steps.extend(ends.map(|at| Step::Keep(before.len() - 1 - at, after.len() - 1 - at)));
    steps
}

/// Myers' greedy way: the fewest lines that come and go.
fn shortest(old: &[&str], new: &[&str]) -> Vec<Step> {
    let (n, m) = (old.len() as isize, new.len() as isize);
    let most = (n + m).min(N_DIFFERENT_MAX as isize);
    let offset = most + 1;
    let mut furthest = vec![0isize; (2 * offset + 1) as usize];
    let mut trail = Vec::new();
    for d in 0..=most {
        trail.push(furthest.clone());
        for k in (-d..=d).step_by(2) {
            let at = |k: isize| furthest[(k + offset) as usize];
            let is_down = k == -d || (k != d && at(k - 1) < at(k + 1));
            let mut x = if is_down { at(k + 1) } else { at(k - 1) + 1 };
            let mut y = x - k;
            while x < n && y < m && x >= 0 && y >= 0 && old[x as usize] == new[y as usize] {
                (x, y) = (x + 1, y + 1);
            }
            furthest[(k + offset) as usize] = x;
            if x >= n && y >= m {
                return walked_back(&trail, (n, m), offset);
            }
        }
    }
    let deleted = (0..old.len()).map(|at| Step::Delete(at, 0));
    let inserted = (0..new.len()).map(|at| Step::Insert(old.len(), at));
    deleted.chain(inserted).collect()
}

fn walked_back(trail: &[Vec<isize>], end: (isize, isize), offset: isize) -> Vec<Step> {
    let (mut x, mut y) = end;
    let mut steps = Vec::new();
    for (d, furthest) in trail.iter().enumerate().rev() {
        let (d, k) = (d as isize, x - y);
        let at = |k: isize| furthest[(k + offset) as usize];
        let is_down = k == -d || (k != d && at(k - 1) < at(k + 1));
        let before_k = if is_down { k + 1 } else { k - 1 };
        let (before_x, before_y) = match d {
            0 => (0, 0),
            _ => (at(before_k), at(before_k) - before_k),
        };
        while x > before_x && y > before_y {
            (x, y) = (x - 1, y - 1);
            steps.push(Step::Keep(x as usize, y as usize));
        }
        if d > 0 {
            match is_down {
                true => steps.push(Step::Insert(before_x as usize, before_y as usize)),
                false => steps.push(Step::Delete(before_x as usize, before_y as usize)),
            }
        }
        (x, y) = (before_x, before_y);
    }
    steps.reverse();
    steps
}

/// Returns the steps that are shown together: changes with some lines around them.
fn hunks(steps: &[Step]) -> Vec<std::ops::Range<usize>> {
    let mut hunks: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        if matches!(step, Step::Keep(..)) {
            continue;
        }
        let start = at.saturating_sub(N_AROUND);
        let end = (at + 1 + N_AROUND).min(steps.len());
        match hunks.last_mut() {
            Some(last) if last.end >= start => last.end = end,
            _ => hunks.push(start..end),
        }
    }
    hunks
}

fn shown(steps: &[Step], before: &[&str], after: &[&str]) -> String {
    let place = |step: &Step| match *step {
        Step::Keep(a, b) | Step::Delete(a, b) | Step::Insert(a, b) => (a, b),
    };
    let n_old = steps
        .iter()
        .filter(|step| !matches!(step, Step::Insert(..)))
        .count();
    let n_new = steps
        .iter()
        .filter(|step| !matches!(step, Step::Delete(..)))
        .count();
    let (old, new) = steps.first().map(place).unwrap_or_default();
    let side = |at: usize, n: usize| match n {
        0 => format!("{at},0"),
        1 => (at + 1).to_string(),
        _ => format!("{},{n}", at + 1),
    };
    let mut out = format!("@@ -{} +{} @@\n", side(old, n_old), side(new, n_new));
    for step in steps {
        let (mark, line) = match *step {
            Step::Keep(a, _) => (' ', before[a]),
            Step::Delete(a, _) => ('-', before[a]),
            Step::Insert(_, b) => ('+', after[b]),
        };
        out.push(mark);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str) -> Vec<&str> {
        text.split_inclusive('\n').collect()
    }

    fn diff(before: &str, after: &str) -> String {
        let (before, after) = (lines(before), lines(after));
        let steps = steps(&before, &after);
        let hunks = hunks(&steps).into_iter();
        hunks
            .map(|hunk| shown(&steps[hunk], &before, &after))
            .collect()
    }

    #[test]
    fn a_diff_is_what_patch_reads() {
        let before = "a\nb\nc\nd\ne\nf\ng\n";
        assert_eq!(
            diff(before, "a\nb\nc\nD\ne\nf\ng"),
            "@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+D\n e\n f\n-g\n+g\n\\ No newline at end of file\n"
        );
        assert_eq!(diff("", "x\n"), "@@ -0,0 +1 @@\n+x\n");
        assert_eq!(diff("x\n", ""), "@@ -1 +0,0 @@\n-x\n");
        assert_eq!(diff(before, before), "");
    }

    proptest! {
        /// Whoever follows the steps comes from one text to the other.
        #[test]
        fn the_steps_lead_from_one_text_to_the_other(before in "([abc]\n){0,12}", after in "([abc]\n){0,12}") {
            let (old, new) = (lines(&before), lines(&after));
            let mut made = String::new();
            let mut read = String::new();
            for step in steps(&old, &new) {
                match step {
                    Step::Keep(a, b) => {
                        prop_assert_eq!(old[a], new[b]);
                        made += new[b];
                        read += old[a];
                    }
                    Step::Delete(a, _) => read += old[a],
                    Step::Insert(_, b) => made += new[b],
                }
            }
            prop_assert_eq!((read, made), (before, after));
        }
    }
}
