//! Walks over small vaults.

use super::*;
use insta::assert_snapshot;
use proptest::prelude::*;

/// Notes a to z, each with its similarity, what age leaves of it and its links.
#[derive(Debug, Default)]
struct Notes(Vec<(f32, f32, Vec<Node>)>);

impl Web for Notes {
    fn neighbours(&self, node: Node) -> Vec<Node> {
        self.0[node as usize].2.clone()
    }
    fn similarity(&self, node: Node) -> f32 {
        self.0[node as usize].0
    }
    fn decay_weight(&self, node: Node) -> f32 {
        self.0[node as usize].1
    }
}

/// Reads "0.9 bc; 0.5*0.2 a": note a, similar by .9, links to b and c; note b, similar by .5
/// and aged to .2, links to a.
fn notes(text: &str) -> Notes {
    let letter = |c: char| c as Node - 'a' as Node;
    let read = |note: &str| {
        let (numbers, links) = note.trim().split_once(' ').unwrap_or((note.trim(), ""));
        let (similarity, decay) = numbers.split_once('*').unwrap_or((numbers, "1"));
        let links = links.chars().map(letter).collect();
        (similarity.parse().unwrap(), decay.parse().unwrap(), links)
    };
    Notes(text.split(';').map(read).collect())
}

fn shown(path: &[Node]) -> String {
    path.iter()
        .map(|&node| (b'a' + node as u8) as char)
        .collect()
}

fn check(text: &str, starts: &[Node], params: &Params) -> String {
    let found = walk(&notes(text), starts, params);
    let line = |sign: char, visited: &Visited, reason: &str| {
        let (score, path) = (visited.score, shown(&visited.path));
        let zero = if visited.decay_zero {
            " decay_zero"
        } else {
            ""
        };
        format!("{sign} {path} {score:.2} {reason}{zero}\n")
    };
    let kept = found
        .retained
        .iter()
        .map(|r| line('+', &r.visited, r.retain_reason.name()));
    let left = found
        .dropped
        .iter()
        .map(|d| line('-', &d.visited, d.drop_reason.name()));
    let early = if found.is_stopped_early {
        ", stopped early"
    } else {
        ""
    };
    let lines: String = kept.chain(left).collect();
    format!("{lines}{} hops{early}", found.n_hops)
}

#[test]
fn the_two_ways_of_the_design() {
    let Params {
        beam,
        hops,
        seeds,
        k,
        prune,
        stop_mean,
        is_decay_scored,
    } = FAST;
    assert_eq!((beam, hops, seeds, k, prune), (5, 4, 3, 10, 0.5));
    assert!(stop_mean == Some(0.65) && is_decay_scored);
    let Params {
        beam,
        hops,
        seeds,
        k,
        prune,
        stop_mean,
        is_decay_scored,
    } = DEEP;
    assert_eq!((beam, hops, seeds, k, prune), (12, 4, 8, 50, 0.3));
    assert!(stop_mean.is_none() && !is_decay_scored);
}

#[test]
fn poor_and_aged_notes_end_the_way() {
    // c: .8·.5 = .4, below .5 though similar enough; d: .4 is not; e lies behind d.
    assert_snapshot!(check("0.9 bcd; 0.7; 0.8*0.5; 0.4 e; 1", &[0], &FAST), @"
    + a 0.90 seed
    + ab 0.70 above_prune_floor
    - ac 0.40 below_prune_threshold
    - ad 0.40 below_prune_threshold
    1 hops, stopped early
    ");
}

#[test]
fn deep_tells_age_and_does_not_score_it() {
    assert_snapshot!(check("0.9 bcd; 0.7; 0.8*0; 0.4 e; 1", &[0], &DEEP), @"
    + ade 1.00 above_prune_floor
    + a 0.90 seed
    + ac 0.80 kept_despite_decay_zero decay_zero
    + ab 0.70 above_prune_floor
    + ad 0.40 above_prune_floor
    2 hops
    ");
}

#[test]
fn no_room_in_the_beam() {
    let narrow = Params {
        beam: 2,
        stop_mean: None,
        ..FAST
    };
    assert_snapshot!(check("0.9 bcde; 0.6; 0.8 f; 0.7 f; 0.6; 0.55", &[0], &narrow), @"
    + a 0.90 seed
    + ac 0.80 above_prune_floor
    + ad 0.70 above_prune_floor
    + acf 0.55 above_prune_floor
    - ab 0.60 beam_overflow
    - ae 0.60 beam_overflow
    2 hops
    ");
}

#[test]
fn the_end_of_the_way() {
    let short = Params { hops: 2, ..FAST };
    assert_snapshot!(check("0.6 b; 0.6 c; 0.6 d; 0.9 e; 1", &[0], &short), @"
    + a 0.60 seed
    + ab 0.60 above_prune_floor
    + abc 0.60 above_prune_floor
    2 hops
    ");
}

#[test]
fn enough_is_enough() {
    // After the first hop the best two are .9 and .6, mean .75; .65 would do.
    let few = Params { k: 2, ..FAST };
    assert_snapshot!(check("0.9 bc; 0.6 d; 0.55; 1", &[0], &few), @"
    + a 0.90 seed
    + ab 0.60 above_prune_floor
    - ac 0.55 beam_overflow
    1 hops, stopped early
    ");
    // The list need not be full: (.9 + .6 + .55) / 3 = .683, though ten were asked for.
    assert_snapshot!(check("0.9 bc; 0.6 d; 0.55; 1", &[0], &FAST), @"
    + a 0.90 seed
    + ab 0.60 above_prune_floor
    + ac 0.55 above_prune_floor
    1 hops, stopped early
    ");
    // (.7 + .55) / 2 = .625 goes on; (.7 + .55 + .7) / 3 = .65 is enough.
    assert_snapshot!(check("0.7 b; 0.55 c; 0.7 d; 1", &[0], &FAST), @"
    + a 0.70 seed
    + abc 0.70 above_prune_floor
    + ab 0.55 above_prune_floor
    2 hops, stopped early
    ");
    // Mean .55 after the first hop: not enough. After the second 1 and .55, mean .775.
    assert_snapshot!(check("0.55 bc; 0.55 d; 0.5; 1", &[0], &few), @"
    + abd 1.00 above_prune_floor
    + a 0.55 seed
    - ab 0.55 beam_overflow
    - ac 0.50 beam_overflow
    2 hops, stopped early
    ");
}

#[test]
fn the_best_of_the_starts_are_seeds() {
    assert_snapshot!(check("0.1; 0.2; 0.3; 0.2; NaN", &[4, 0, 1, 2, 3, 3], &FAST), @"
    + c 0.30 seed
    + b 0.20 seed
    + d 0.20 seed
    - a 0.10 beam_overflow
    - e 0.00 beam_overflow
    0 hops
    ");
    assert_eq!(check("1", &[], &FAST), "0 hops");
}

#[test]
fn what_deep_finds_and_fast_does_not() {
    // b is too old for fast, d not similar enough, and e lies behind d. f lies behind c, where fast
    // has found enough: (.9 + .7) / 2 = .8.
    let web = notes("0.9 bcd; 0.8*0.1; 0.7 f; 0.4 e; 1; 0.5");
    let (fast, deep) = (walk(&web, &[0], &FAST), walk(&web, &[0], &DEEP));
    let lines: Vec<String> = compare(&fast, &deep)
        .iter()
        .map(|missed| {
            let at = missed.turned_at.map_or("-".to_owned(), |(node, reason)| {
                format!("{} {}", shown(&[node]), reason.name())
            });
            format!("{}: {at}", shown(&missed.visited.path))
        })
        .collect();
    assert_snapshot!(lines.join("\n"), @"
    ade: d below_prune_threshold
    ab: b below_prune_threshold
    acf: -
    ad: d below_prune_threshold
    ");
    assert!(compare(&deep, &deep).is_empty());
}

proptest! {
    #[test]
    fn every_note_seen_is_told_of_once(
        notes in prop::collection::vec(
            (0u8..10, 0u8..4, prop::collection::vec(0u32..20, 0..6)), 20),
        starts in prop::collection::vec(0u32..20, 0..6),
    ) {
        let web = Notes(notes.into_iter()
            .map(|(s, d, links)| (f32::from(s) / 9.0, f32::from(d) / 3.0, links)).collect());
        for params in [FAST, DEEP, Params { beam: 1, k: 2, ..FAST }] {
            let found = walk(&web, &starts, &params);
            prop_assert!(found.retained.len() <= params.k);
            let kept = found.retained.iter().map(|r| &r.visited);
            let all: Vec<&Visited> =
                kept.chain(found.dropped.iter().map(|d| &d.visited)).collect();
            let distinct: HashSet<Node> = all.iter().map(|visited| visited.node).collect();
            prop_assert_eq!(distinct.len(), all.len());
            for visited in all {
                prop_assert_eq!(visited.path.len(), visited.hop as usize + 1);
                prop_assert_eq!(visited.path.last(), Some(&visited.node));
                prop_assert!(starts.contains(&visited.path[0]));
                for pair in visited.path.windows(2) {
                    prop_assert!(web.neighbours(pair[0]).contains(&pair[1]));
                }
            }
        }
    }
}
