//! Learns how much tokens count and how vectors of questions are turned, by contrast. Pure, and the same every time.
//!
//! A question is drawn to the passage that it stands for and away from passages like it and from those of others in
//! the same batch. What is learnt is kept as it was when pairs of other notes did best by it.

use super::super::significance::SplitMix;
use super::pairs::{Pair, Pairs};
use crate::embed::TokenVectors;

/// Texts that are learnt from at once.
const BATCH: usize = 32;
/// Rounds over all texts at most, and how many may pass without one that is better.
const ROUNDS_MAX: usize = 40;
const PATIENCE: usize = 4;
/// How sharply the best passage is told from the others.
const TEMPERATURE: f32 = 0.05;
/// Directions that vectors are turned by.
const RANK: usize = 8;
/// How far a step goes, for factors, for the weight of rarity and for turns.
const FACTOR_STEP: f32 = 0.01;
const RARITY_STEP: f32 = 0.01;
const TURN_STEP: f32 = 0.001;
/// What is taken from each factor and turn in each step: what is not needed fades.
const DECAY: f32 = 1e-3;

/// What is learnt.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Learnt {
    /// Weight of the rarity of a token.
    pub(super) rarity: f32,
    /// Logarithms of the factors of tokens, beside their rarity.
    pub(super) factors: Vec<f32>,
    /// Rows of the turns, `RANK` of each.
    pub(super) from: Vec<f32>,
    pub(super) to: Vec<f32>,
    /// Rounds until it was best.
    pub(super) n_rounds: usize,
}

/// What is known of the tokens.
pub(super) struct Tokens<'a> {
    pub(super) model: &'a dyn TokenVectors,
    pub(super) rarity: &'a [f32],
}

/// Learns from `pairs` until `held_out`, pairs of other notes, get no better.
pub(super) fn learn(tokens: &Tokens<'_>, pairs: &Pairs, held_out: &Pairs) -> Learnt {
    let mut learner = Learner::new(tokens);
    let mut best = learner.learnt.clone();
    let mut least = learner.loss(held_out);
    for round in 1..=ROUNDS_MAX {
        learner.round(pairs, round);
        let loss = learner.loss(held_out);
        if loss < least {
            (least, best) = (loss, learner.learnt.clone());
            best.n_rounds = round;
        }
        if round >= best.n_rounds + PATIENCE {
            break;
        }
    }
    best
}

struct Learner<'a> {
    tokens: &'a Tokens<'a>,
    dimensions: usize,
    learnt: Learnt,
    /// Means of gradients and of their squares, for each of what is learnt.
    moments: [Moments; 4],
    n_steps: i32,
}

/// A question on its way, with what its gradient needs.
struct Forward {
    /// Direction of the sum of the tokens, and the sum's length.
    sum: Vec<f32>,
    length: f32,
    /// How far it points into each direction; then turned, and the length of that.
    far: [f32; RANK],
    turned: Vec<f32>,
    turned_length: f32,
}

/// Gradients of a batch.
#[derive(Default)]
struct Gradient {
    rarity: f32,
    factors: Vec<(u32, f32)>,
    from: Vec<f32>,
    to: Vec<f32>,
}

impl<'a> Learner<'a> {
    fn new(tokens: &'a Tokens<'a>) -> Self {
        let dimensions = tokens.model.dimensions();
        let n = RANK * dimensions;
        let n_factors = tokens.rarity.len();
        // Directions begin anywhere, and what is added to vectors at nothing.
        let mut random = SplitMix(1);
        let scale = (dimensions as f32).sqrt() * 1e6;
        let mut any = || (random.below(2_000_001) as f32 - 1e6) / scale;
        let from = (0..n).map(|_| any());
        let learnt = Learnt {
            rarity: 0.0,
            factors: vec![0.0; n_factors],
            from: from.collect(),
            to: vec![0.0; n],
            n_rounds: 0,
        };
        Self {
            tokens,
            dimensions,
            learnt,
            moments: [1, n_factors, n, n].map(Moments::new),
            n_steps: 0,
        }
    }

    fn log_factor(&self, token: u32) -> f32 {
        let token = token as usize;
        self.learnt.rarity * self.tokens.rarity[token] + self.learnt.factors[token]
    }

    fn forward(&self, tokens: &[u32]) -> Forward {
        let mut sum = vec![0.0; self.dimensions];
        for &token in tokens {
            let (components, scale) = self.tokens.model.vector(token);
            add(&mut sum, components, scale * self.log_factor(token).exp());
        }
        let length = dot(&sum, &sum).sqrt().max(1e-6);
        sum.iter_mut().for_each(|value| *value /= length);
        let mut turned = sum.clone();
        let mut far = [0.0; RANK];
        for (n, far) in far.iter_mut().enumerate() {
            *far = dot(row(&self.learnt.from, n, self.dimensions), &sum);
            let to = row(&self.learnt.to, n, self.dimensions);
            for (value, to) in turned.iter_mut().zip(to) {
                *value += *far * to;
            }
        }
        let turned_length = dot(&turned, &turned).sqrt().max(1e-6);
        Forward {
            sum,
            length,
            far,
            turned,
            turned_length,
        }
    }

    /// Returns how surprising the right passages are, on average.
    fn loss(&self, pairs: &Pairs) -> f32 {
        let mut total = 0.0;
        for (place, pair) in pairs.all.iter().enumerate() {
            let asked = self.forward(&pair.tokens);
            let others = batch_of(&pairs.all, place);
            total -= shares(&asked, pairs, &candidates(pair, others))[0]
                .max(1e-9)
                .ln();
        }
        total / pairs.all.len().max(1) as f32
    }

    /// Learns from every text once.
    fn round(&mut self, pairs: &Pairs, round: usize) {
        let mut order: Vec<usize> = (0..pairs.all.len()).collect();
        let mut random = SplitMix(round as u64 + 1);
        for n in (1..order.len()).rev() {
            order.swap(n, random.below(n + 1));
        }
        for batch in order.chunks(BATCH) {
            let mut gradient = Gradient {
                from: vec![0.0; self.learnt.from.len()],
                to: vec![0.0; self.learnt.to.len()],
                ..Gradient::default()
            };
            for &place in batch {
                let others = batch.iter().map(|&other| &pairs.all[other]);
                let rows = candidates(&pairs.all[place], others);
                self.add_gradient(pairs, place, &rows, &mut gradient);
            }
            self.step(&gradient, batch.len());
        }
    }

    fn add_gradient(&self, pairs: &Pairs, place: usize, rows: &[usize], total: &mut Gradient) {
        let pair = &pairs.all[place];
        let asked = self.forward(&pair.tokens);
        let mut shares = shares(&asked, pairs, rows);
        shares[0] -= 1.0;
        // Towards the passages, as far as that is not along the vector itself, whose length counts for nothing.
        let mut pull = vec![0.0; self.dimensions];
        for (&place, share) in rows.iter().zip(&shares) {
            for (pull, value) in pull.iter_mut().zip(&pairs.rows[place]) {
                *pull += share / TEMPERATURE * value;
            }
        }
        across(&mut pull, &asked.turned, asked.turned_length);
        let back = self.turn_back(&asked, &pull, total);
        for &token in &pair.tokens {
            let (components, scale) = self.tokens.model.vector(token);
            let along: f32 = (components.iter().zip(&back))
                .map(|(&a, b)| f32::from(a) * b)
                .sum();
            let gradient = along * scale * self.log_factor(token).exp();
            total.factors.push((token, gradient));
            total.rarity += gradient * self.tokens.rarity[token as usize];
        }
    }

    /// Adds the gradients of the turns, and returns that of the sum of the tokens.
    fn turn_back(&self, asked: &Forward, pull: &[f32], total: &mut Gradient) -> Vec<f32> {
        let mut back = pull.to_vec();
        for n in 0..RANK {
            let along = dot(row(&self.learnt.to, n, self.dimensions), pull);
            let start = n * self.dimensions;
            for at in 0..self.dimensions {
                total.to[start + at] += asked.far[n] * pull[at];
                total.from[start + at] += along * asked.sum[at];
                back[at] += along * self.learnt.from[start + at];
            }
        }
        across(&mut back, &asked.sum, asked.length);
        back
    }

    /// Goes a step against the gradients, by Adam.
    fn step(&mut self, gradient: &Gradient, n_texts: usize) {
        self.n_steps += 1;
        let share = 1.0 / n_texts as f32;
        let mut factors = vec![0.0; self.learnt.factors.len()];
        for (token, value) in &gradient.factors {
            factors[*token as usize] += value;
        }
        let Learnt {
            rarity,
            factors: own,
            from,
            to,
            ..
        } = &mut self.learnt;
        let parts: [(&mut [f32], &[f32], f32); 4] = [
            (
                std::slice::from_mut(rarity),
                &[gradient.rarity],
                RARITY_STEP,
            ),
            (own, &factors, FACTOR_STEP),
            (from, &gradient.from, TURN_STEP),
            (to, &gradient.to, TURN_STEP),
        ];
        for ((values, gradient, step), moments) in parts.into_iter().zip(&mut self.moments) {
            moments.step(values, gradient, share, step, self.n_steps);
        }
    }
}

/// The means that Adam goes by.
struct Moments {
    means: Vec<f32>,
    squares: Vec<f32>,
}

impl Moments {
    const KEPT: f32 = 0.9;
    const SQUARES_KEPT: f32 = 0.99;

    fn new(n: usize) -> Self {
        Self {
            means: vec![0.0; n],
            squares: vec![0.0; n],
        }
    }

    fn step(&mut self, values: &mut [f32], gradient: &[f32], share: f32, step: f32, n_steps: i32) {
        let first = 1.0 - Self::KEPT.powi(n_steps);
        let second = 1.0 - Self::SQUARES_KEPT.powi(n_steps);
        let means = self.means.iter_mut().zip(&mut self.squares);
        for ((value, gradient), (mean, square)) in values.iter_mut().zip(gradient).zip(means) {
            let gradient = gradient * share;
            *mean = Self::KEPT * *mean + (1.0 - Self::KEPT) * gradient;
            *square =
                Self::SQUARES_KEPT * *square + (1.0 - Self::SQUARES_KEPT) * gradient * gradient;
            let along = (*mean / first) / ((*square / second).sqrt() + 1e-6);
            *value -= step * (along + DECAY * *value);
        }
    }
}

/// Returns the passages that a text is told from: the right one first.
fn candidates<'p>(pair: &Pair, others: impl Iterator<Item = &'p Pair>) -> Vec<usize> {
    let foreign = others.filter(|other| other.note != pair.note);
    let rows = std::iter::once(pair.right).chain(pair.wrong.iter().copied());
    rows.chain(foreign.map(|other| other.right)).collect()
}

/// Returns the pairs that a pair is measured beside: those that stand around it.
fn batch_of(pairs: &[Pair], place: usize) -> std::slice::Iter<'_, Pair> {
    let start = place / BATCH * BATCH;
    pairs[start..pairs.len().min(start + BATCH)].iter()
}

/// Returns how likely each passage is the right one; together they are 1.
fn shares(asked: &Forward, pairs: &Pairs, rows: &[usize]) -> Vec<f32> {
    let score =
        |&place: &usize| dot(&asked.turned, &pairs.rows[place]) / asked.turned_length / TEMPERATURE;
    let mut shares: Vec<f32> = rows.iter().map(score).collect();
    let most = shares.iter().copied().fold(f32::MIN, f32::max);
    shares
        .iter_mut()
        .for_each(|share| *share = (*share - most).exp());
    let total: f32 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= total);
    shares
}

/// Takes from a gradient what goes along a vector, whose length counts for nothing.
fn across(gradient: &mut [f32], vector: &[f32], length: f32) {
    let along = dot(gradient, vector) / dot(vector, vector).max(1e-12);
    for (gradient, value) in gradient.iter_mut().zip(vector) {
        *gradient = (*gradient - along * value) / length;
    }
}

fn add(sum: &mut [f32], components: &[i8], scale: f32) {
    for (sum, &component) in sum.iter_mut().zip(components) {
        *sum += scale * f32::from(component);
    }
}

fn row(rows: &[f32], n: usize, dimensions: usize) -> &[f32] {
    &rows[n * dimensions..(n + 1) * dimensions]
}

/// Adds up in eight lanes: the order does not depend on the processor.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 8];
    for (a, b) in a.chunks(lanes.len()).zip(b.chunks(lanes.len())) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::embedded;

    /// Texts whose passages say the same and more; those beside them are like them and not meant.
    fn pairs(names: &[(&str, &str, &str)]) -> Pairs {
        let model = embedded();
        let mut pairs = Pairs::default();
        for (n, (name, right, wrong)) in names.iter().enumerate() {
            let mut tokens = Vec::new();
            model.tokens(name, &mut tokens);
            pairs
                .rows
                .extend([right, wrong].map(|text| model.direction(text)));
            pairs.all.push(Pair {
                tokens,
                note: (*name).to_owned(),
                right: 2 * n,
                wrong: vec![2 * n + 1],
            });
        }
        pairs
    }

    const NAMES: [(&str, &str, &str); 3] = [
        (
            "page about boilers",
            "the boiler warms the house",
            "a page of the book about pages",
        ),
        (
            "page about roses",
            "roses bloom in the garden",
            "this page is about other pages",
        ),
        (
            "page about taxes",
            "the tax return is due in May",
            "about the page and its author",
        ),
    ];

    /// A learner somewhere on its way, where every gradient counts.
    fn learner<'a>(tokens: &'a Tokens<'a>) -> Learner<'a> {
        let mut learner = Learner::new(tokens);
        learner.learnt.rarity = 0.1;
        let to = learner.learnt.to.iter_mut().zip(0..);
        to.for_each(|(value, n): (&mut f32, usize)| *value = (n % 7) as f32 * 0.004 - 0.01);
        learner
    }

    #[test]
    fn gradients_are_those_of_the_loss() {
        let rarity: Vec<f32> = (0..embedded().n_tokens())
            .map(|n| (n % 5) as f32 * 0.2 - 0.4)
            .collect();
        let tokens = Tokens {
            model: embedded(),
            rarity: &rarity,
        };
        let pairs = pairs(&NAMES);
        let learner = learner(&tokens);
        let mut found = Gradient {
            from: vec![0.0; learner.learnt.from.len()],
            to: vec![0.0; learner.learnt.to.len()],
            ..Gradient::default()
        };
        for place in 0..pairs.all.len() {
            let rows = candidates(&pairs.all[place], pairs.all.iter());
            learner.add_gradient(&pairs, place, &rows, &mut found);
        }
        let token = pairs.all[0].tokens[2];
        let of_token: f32 = (found.factors.iter())
            .filter(|(other, _)| *other == token)
            .map(|(_, gradient)| gradient)
            .sum();
        let moved = |change: &dyn Fn(&mut Learnt, f32)| {
            let at = |by: f32| {
                let mut other = Learner {
                    learnt: learner.learnt.clone(),
                    ..Learner::new(&tokens)
                };
                change(&mut other.learnt, by);
                other.loss(&pairs) * pairs.all.len() as f32
            };
            (at(1e-2) - at(-1e-2)) / 2e-2
        };
        let checks: [(f32, f32); 4] = [
            (found.rarity, moved(&|learnt, by| learnt.rarity += by)),
            (
                of_token,
                moved(&|learnt, by| learnt.factors[token as usize] += by),
            ),
            (found.from[300], moved(&|learnt, by| learnt.from[300] += by)),
            (found.to[10], moved(&|learnt, by| learnt.to[10] += by)),
        ];
        for (n, (found, measured)) in checks.into_iter().enumerate() {
            let near = (found - measured).abs() <= 0.05 * measured.abs().max(0.02);
            assert!(near && measured != 0.0, "{n}: {found} is not {measured}");
        }
    }

    #[test]
    fn what_is_learnt_helps_others_and_is_the_same_every_time() {
        let rarity = vec![0.0; embedded().n_tokens()];
        let tokens = Tokens {
            model: embedded(),
            rarity: &rarity,
        };
        let held_out = pairs(&[(
            "page about apples",
            "apples ripen in autumn",
            "pages about a page",
        )]);
        let learnt = learn(&tokens, &pairs(&NAMES), &held_out);
        let mut learner = Learner::new(&tokens);
        let before = learner.loss(&held_out);
        learner.learnt = learnt.clone();
        assert!(learnt.n_rounds > 0 && learner.loss(&held_out) < before);
        assert_eq!(learn(&tokens, &pairs(&NAMES), &held_out), learnt);
    }
}
