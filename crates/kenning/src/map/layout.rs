//! Points on a plane: what is alike draws together, anything else pushes apart, from the main axes on. The forces are
//! those of UMAP; dice are thrown the same way every time.

use super::region;
use crate::budget::Budget;
use crate::error::Result;

/// Notes that each note is drawn to.
const NEIGHBOURS: usize = 10;
/// Notes by chance that each draw pushes away from.
const PUSHED: usize = 3;
/// Times that every pair is drawn together.
const ROUNDS: usize = 90;
/// Parts of the vault that neighbours are looked for in: the own one and the nearest.
const PARTS_SEARCHED: usize = 4;
/// Notes that a note is compared with.
const COMPARED_MAX: usize = 1_000;
/// Size of the plane while points move.
const EXTENT: f32 = 20.0;
/// Farthest that a point moves in one step.
const STEP_MAX: f32 = 1.0;
/// Shape of the forces: near points are not drawn together any further.
const NEAR: f32 = 1.2;
/// Share of points at each edge that lie outside of the plane's scale, so that a few do not shrink all others.
const OUTLIERS: f32 = 0.005;

/// Returns a place from 0 to 1 for each vector.
pub(super) fn places(vectors: &[Vec<f32>], budget: &Budget) -> Result<Vec<[f32; 2]>> {
    let mut places = beginnings(vectors);
    if vectors.len() > NEIGHBOURS {
        let pairs = neighbours(vectors, budget)?;
        for round in 0..ROUNDS {
            budget.check()?;
            let strength = 1.0 - round as f32 / ROUNDS as f32;
            step(&mut places, &pairs, strength, &mut Dice::nth(round));
        }
    }
    scale(&mut places);
    Ok(places)
}

/// The first two axes, as wide as the plane.
fn beginnings(vectors: &[Vec<f32>]) -> Vec<[f32; 2]> {
    let at = |vector: &Vec<f32>, axis: usize| vector.get(axis).copied().unwrap_or(0.0);
    let widest = vectors.iter().map(|v| at(v, 0).abs().max(at(v, 1).abs()));
    let unit = EXTENT / 2.0 / widest.fold(f32::EPSILON, f32::max);
    let mut dice = Dice::new();
    // Equal notes must not lie on each other, or nothing could part them.
    let mut place = |v: &Vec<f32>| [0, 1].map(|axis| at(v, axis) * unit + 1e-3 * dice.signed());
    vectors.iter().map(&mut place).collect()
}

/// Returns for each vector those nearest to it, looked for in the parts of the vault around it.
fn neighbours(vectors: &[Vec<f32>], budget: &Budget) -> Result<Vec<(u32, u32)>> {
    let n_parts = (vectors.len() as f32 / 150.0).ceil() as usize;
    let (part_of, middles) = region::parts(vectors, n_parts.max(1));
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); middles.len()];
    for (at, &part) in (0u32..).zip(&part_of) {
        members[part].push(at);
    }
    let mut pairs = Vec::with_capacity(vectors.len() * NEIGHBOURS);
    for (part, own) in members.iter().enumerate() {
        budget.check()?;
        let mut near: Vec<usize> = (0..middles.len()).collect();
        let away = |other: &usize| region::distance(&middles[part], &middles[*other]);
        near.sort_by(|a, b| away(a).total_cmp(&away(b)));
        near.truncate(PARTS_SEARCHED);
        let others = near.iter().flat_map(|&part| members[part].iter().copied());
        let others: Vec<u32> = others.collect();
        // Where many notes are alike, every so many of them stand for all.
        let stride = others.len().div_ceil(COMPARED_MAX).max(1);
        let others: Vec<u32> = others.into_iter().step_by(stride).collect();
        for &one in own {
            pairs.extend(nearest(vectors, one, &others).map(|other| (one, other)));
        }
    }
    Ok(pairs)
}

fn nearest(vectors: &[Vec<f32>], one: u32, others: &[u32]) -> impl Iterator<Item = u32> {
    let mut best: Vec<(f32, u32)> = Vec::with_capacity(NEIGHBOURS + 1);
    for &other in others.iter().filter(|&&other| other != one) {
        let away = region::distance(&vectors[one as usize], &vectors[other as usize]);
        if best.len() < NEIGHBOURS || best.last().is_some_and(|last| away < last.0) {
            let place = best.partition_point(|known| known.0 <= away);
            best.insert(place, (away, other));
            best.truncate(NEIGHBOURS);
        }
    }
    best.into_iter().map(|(_, other)| other)
}

fn step(places: &mut [[f32; 2]], pairs: &[(u32, u32)], strength: f32, dice: &mut Dice) {
    let n = places.len();
    for &(a, b) in pairs {
        let (a, b) = (a as usize, b as usize);
        let (way, away) = between(places[a], places[b]);
        let pull = -2.0 * NEAR / (1.0 + NEAR * away);
        for axis in 0..2 {
            let by = (pull * way[axis] * strength).clamp(-STEP_MAX, STEP_MAX);
            places[a][axis] += by * 0.5;
            places[b][axis] -= by * 0.5;
        }
        for _ in 0..PUSHED {
            let other = dice.below(n);
            if other == a {
                continue;
            }
            let (way, away) = between(places[a], places[other]);
            let push = 2.0 / ((0.01 + away) * (1.0 + NEAR * away));
            for axis in 0..2 {
                places[a][axis] += (push * way[axis] * strength * 0.5).clamp(-STEP_MAX, STEP_MAX);
            }
        }
    }
}

/// Returns the way from one to the other, and the square of its length.
fn between(to: [f32; 2], from: [f32; 2]) -> ([f32; 2], f32) {
    let way = [to[0] - from[0], to[1] - from[1]];
    (way, way[0] * way[0] + way[1] * way[1])
}

/// Puts the points between 0 and 1, both axes by the same measure.
fn scale(places: &mut [[f32; 2]]) {
    let ends = [0, 1].map(|axis| {
        let mut values: Vec<f32> = places.iter().map(|place| place[axis]).collect();
        values.sort_by(f32::total_cmp);
        let skip = (values.len() as f32 * OUTLIERS) as usize;
        let low = values.get(skip).copied().unwrap_or(0.0);
        let high = values.iter().rev().nth(skip).copied().unwrap_or(0.0);
        (low, high)
    });
    let extent = ends.map(|(low, high)| high - low);
    let unit = extent[0].max(extent[1]).max(f32::EPSILON);
    for place in places {
        for axis in 0..2 {
            let middle = (ends[axis].0 + ends[axis].1) / 2.0;
            place[axis] = ((place[axis] - middle) / unit + 0.5).clamp(0.0, 1.0);
        }
    }
}

/// Chance that is the same every time.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new() -> Self {
        Self::nth(0)
    }

    fn nth(n: usize) -> Self {
        Self(0x9E37_79B9_7F4A_7C15 ^ (n as u64).wrapping_mul(0xD129_0D3A_5E1B_77C5))
    }

    fn next(&mut self) -> u32 {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.next()) * n as u64) >> 32) as usize
    }

    /// From -1 to 1.
    pub(super) fn signed(&mut self) -> f32 {
        self.next() as f32 / (u32::MAX as f32 / 2.0) - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three heaps of points, far from each other.
    fn heaps(n: usize) -> Vec<Vec<f32>> {
        let mut dice = Dice::new();
        let mut vector = |heap: usize| {
            let mut vector: Vec<f32> = (0..8).map(|_| 0.1 * dice.signed()).collect();
            vector[heap] += 2.0;
            vector
        };
        (0..n).map(|at| vector(at % 3)).collect()
    }

    #[test]
    fn what_is_alike_lies_together_every_time() {
        let vectors = heaps(300);
        let places = places(&vectors, &Budget::default()).unwrap();
        assert_eq!(places, super::places(&vectors, &Budget::default()).unwrap());
        assert!(places.iter().flatten().all(|x| (0.0..=1.0).contains(x)));
        let away = |a: usize, b: usize| between(places[a], places[b]).1.sqrt();
        let (mut inside, mut across) = (0.0f32, f32::MAX);
        for a in 0..300 {
            inside = inside.max(away(a, (a + 3) % 300));
            across = across.min(away(a, (a + 1) % 300));
        }
        assert!(across > 0.1, "{inside} {across}");
    }

    #[test]
    fn a_few_notes_have_a_place_too() {
        for n in 0..5 {
            let places = places(&heaps(n), &Budget::default()).unwrap();
            assert_eq!(places.len(), n);
            assert!(places.iter().flatten().all(|x| x.is_finite()));
        }
    }
}
