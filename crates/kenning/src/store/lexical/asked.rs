//! The words of a query: how many hold each, and what they add up to in the notes that matter.

use std::sync::Arc;

use super::bits::Bits;
use super::contenders::{Bars, Race};
use super::scores::Part;
use super::tally::{self, Tally, Target, Worth};
use super::within::Within;
use super::{FieldWeights, LexicalOptions, Postings, TermGroup, Typed, WordField, WordReader};
use crate::budget::Budget;
use crate::store::{LexicalQuery, NoteSet};

/// Units of work that a word costs, each spelling of it in each field, and each entry that holds it.
const WORD_COST: u64 = 2_000;
const TERM_COST: u64 = 200;
const ENTRY_COST: u64 = 8;

/// How many hold a word.
#[derive(Clone, Default)]
pub(super) struct Held {
    /// The notes that do, by their numbers.
    pub(super) notes: Bits,
    /// How many of them hold it as a whole.
    n_notes: usize,
    pub(super) n_entries: usize,
    /// Entries that hold it as part of a longer word, and what that is worth.
    compounds: Vec<(usize, f32)>,
    /// Units of work that looking them up is.
    cost: u64,
}

impl Held {
    /// Returns how many bytes it needs.
    pub(super) fn n_bytes(&self) -> usize {
        size_of::<Self>() + self.notes.n_bytes() + size_of_val(self.compounds.as_slice())
    }
}

/// A word of a query.
pub(super) struct Asked {
    pub(super) number: usize,
    group: TermGroup,
    /// What it counts for being said more than once.
    emphasis: f32,
    pub(super) idf: f32,
    pub(super) held: Arc<Held>,
}

impl Asked {
    /// Returns what it adds at most to the score of a note, and to that of a chunk.
    pub(super) fn most(&self) -> f32 {
        self.emphasis * self.idf
    }
}

/// The words of a query, and those that may be slips, with their numbers.
type LookedUp<'q> = (Vec<Asked>, Vec<(usize, &'q Typed)>);

/// What is added up for a query.
pub(super) struct Sums<'q> {
    pub(super) options: &'q LexicalOptions,
    /// Notes of which every word was counted, each in one of them.
    pub(super) parts: Vec<Part>,
    /// Entries that hold a word as part of another one only, with the number of the word.
    pub(super) partly: Vec<(u32, usize)>,
}

impl<P: Postings> WordReader<P> {
    /// Looks the words of a query up.
    pub(super) fn look_up<'q>(
        &self,
        query: &LexicalQuery<'q>,
        budget: &Budget,
    ) -> Result<LookedUp<'q>, P::Error> {
        let (groups, options) = (query.groups, query.options);
        let forgives = groups.len() <= options.forgiving_words_max;
        let (mut words, mut doubted) = (Vec::new(), Vec::new());
        for (number, group) in groups.iter().enumerate() {
            match query.typed.get(number).filter(|_| forgives) {
                Some(word)
                    if self.is_doubtful(word, group)? && !self.is_part(group, options)? =>
                {
                    doubted.push((number, word));
                }
                _ => words.extend(self.asked(number, group, query, budget)?),
            }
        }
        Ok((words, doubted))
    }

    /// Returns a word with its rarity, unless that is more work than is left.
    pub(super) fn asked(
        &self,
        number: usize,
        group: &TermGroup,
        query: &LexicalQuery<'_>,
        budget: &Budget,
    ) -> Result<Option<Asked>, P::Error> {
        let options = query.options;
        let Some(held) = self.held(group, options, budget)? else {
            return Ok(None);
        };
        if !budget.spend(ENTRY_COST * held.n_entries as u64) {
            return Ok(None);
        }
        let n_said = query.typed.get(number).map_or(1, |typed| typed.n_said);
        Ok(Some(Asked {
            number,
            group: group.clone(),
            emphasis: emphasis(n_said, options.k3),
            idf: tally::idf(held.n_notes as f32, self.entries.n_notes as f32),
            held,
        }))
    }

    /// Returns who holds a group as a whole word, unless counting them is more work than is left.
    fn held(
        &self,
        group: &TermGroup,
        options: &LexicalOptions,
        budget: &Budget,
    ) -> Result<Option<Arc<Held>>, P::Error> {
        if let Some(held) = self.frequent.held(group, options) {
            return Ok(budget.spend(held.cost).then_some(held));
        }
        let (mut cost, mut is_left) = (WORD_COST, budget.spend(WORD_COST));
        let mut entries = Bits::new(self.entries.chunk.len());
        self.each_spelling(group, &options.weights, |part, (field, _, _), term| {
            is_left = is_left && budget.spend(TERM_COST);
            if is_left {
                cost += TERM_COST;
                let hold = |entry| entries.insert(entry);
                self.postings.holders(part, field, term, hold)?;
            }
            Ok(is_left)
        })?;
        if !is_left {
            return Ok(None);
        }
        let n_entries = entries.len();
        let notes = self.entries.drain_notes(&mut entries);
        let mut held = Held {
            n_notes: notes.len(),
            notes,
            n_entries,
            compounds: self.compounds_of(group, &options.weights, n_entries == 0)?,
            cost,
        };
        self.add_compounds(&mut held);
        let held = Arc::new(held);
        self.frequent.keep_held(group, options, &held);
        Ok(Some(held))
    }

    /// Adds the notes that hold a word as part of a longer one. What is rare is the word itself, however many words it
    /// is part of.
    fn add_compounds(&self, held: &mut Held) {
        let mut number = 0;
        for &(entry, _) in &held.compounds {
            number = self.entries.number_from(number, entry);
            held.notes.insert(number);
        }
        if held.n_entries == 0 {
            held.n_notes = held.notes.len();
        }
        held.n_entries += held.compounds.len();
    }

    /// Adds the words up in the notes that may be among the best; in all that hold any, if these are not told apart.
    pub(super) fn add_words<'q>(
        &self,
        words: &[Asked],
        query: &LexicalQuery<'q>,
        of: &NoteSet,
    ) -> Result<Sums<'q>, P::Error> {
        let mut sums = Sums {
            options: query.options,
            parts: Vec::new(),
            partly: Vec::new(),
        };
        let race = Race::new(words, query, of, &self.entries);
        let leaders = race.as_ref().and_then(Race::leaders);
        let (Some(race), Some(leaders)) = (race, leaders) else {
            self.add_part(words, self.every(), &mut sums)?;
            return Ok(sums);
        };
        let first = Within::new(leaders.notes.clone(), &self.entries);
        self.add_part(words, Arc::new(first), &mut sums)?;
        let bars = race.bars(&leaders, &sums.parts[0]);
        let others = Within::new(race.others(&leaders, &bars), &self.entries);
        let others = self.add_others(words, others, (race, &bars), &mut sums)?;
        sums.keep(others);
        Ok(sums)
    }

    /// Adds the words up in some notes.
    pub(super) fn add_part(
        &self,
        words: &[Asked],
        within: Arc<Within>,
        sums: &mut Sums<'_>,
    ) -> Result<(), P::Error> {
        let mut part = self.part(within);
        for word in words {
            self.add(word, &mut part, sums)?;
        }
        sums.keep(part);
        Ok(())
    }

    /// The same, where notes are left out as soon as they cannot be among the best any more.
    fn add_others(
        &self,
        words: &[Asked],
        others: Within,
        (mut race, bars): (Race<'_>, &Bars),
        sums: &mut Sums<'_>,
    ) -> Result<Part, P::Error> {
        let mut part = self.part(Arc::new(others));
        for (index, word) in words.iter().enumerate() {
            self.add(word, &mut part, sums)?;
            let n_notes = part.within.notes.len();
            let n_rest: usize = words[index + 1..]
                .iter()
                .map(|word| word.held.n_entries)
                .sum();
            let left = race.left(word, &part, bars);
            // Copying sums is work, too.
            if n_rest > n_notes && left.len() < n_notes / 4 * 3 {
                part = self.only(part, &left);
            }
        }
        Ok(part)
    }

    /// Returns sums for some notes, all zero.
    fn part(&self, within: Arc<Within>) -> Part {
        let mut tally = self.spare_tally();
        tally.reset(&within);
        Part { within, tally }
    }

    /// Returns the sums of some notes of a part, by their places.
    fn only(&self, part: Part, places: &[usize]) -> Part {
        let notes = places
            .iter()
            .map(|place| part.within.notes[*place])
            .collect();
        let within = Within::new(notes, &self.entries);
        let mut tally = self.spare_tally();
        tally.take_some(&part.tally, &part.within, places, &within);
        self.give_back(std::iter::once(part.tally));
        Part {
            within: Arc::new(within),
            tally,
        }
    }

    /// Adds what a word is worth to every entry of some notes that holds it.
    fn add(&self, word: &Asked, part: &mut Part, sums: &mut Sums<'_>) -> Result<(), P::Error> {
        let Part { within, tally } = part;
        let (number, emphasis) = (word.number, word.emphasis);
        if let Some(worth) = self.frequent.worth(&word.group, sums.options) {
            match within.is_every() {
                true => tally.add(number, &worth, emphasis),
                false => tally.add_of_every(number, &worth, emphasis, within),
            }
            sums.keep_partly(number, &worth);
            return Ok(());
        }
        let worth = self.count(word, sums.options, within, tally)?;
        tally.add(number, &worth, emphasis);
        sums.keep_partly(number, &worth);
        if within.is_every() {
            (self.frequent).keep_worth(&word.group, sums.options, &worth);
        }
        tally.give_back(worth);
        Ok(())
    }

    /// Counts the weighted occurrences of a word in every entry of some notes.
    fn count(
        &self,
        word: &Asked,
        options: &LexicalOptions,
        within: &Within,
        tally: &mut Tally,
    ) -> Result<Worth, P::Error> {
        let weights = &options.weights;
        self.each_spelling(
            &word.group,
            weights,
            |part, (field, weight, target), term| {
                let count = |entry: usize, frequency: u32| {
                    tally.count(within.rank(entry), weight * frequency as f32, target);
                };
                (self.postings).entries_within(part, field, term, within, count)?;
                Ok(true)
            },
        )?;
        let compounds = word.held.compounds.iter().copied();
        tally.count_partly(compounds.filter(|(entry, _)| within.has(*entry)), within);
        Ok(tally.worth(within, &self.entries, options, word.idf))
    }

    /// Calls `each` with every term that stands for a group, by part and field, until that says no.
    fn each_spelling(
        &self,
        group: &TermGroup,
        weights: &FieldWeights,
        mut each: impl FnMut(usize, (WordField, f32, Target), &str) -> Result<bool, P::Error>,
    ) -> Result<(), P::Error> {
        let weighted = [
            (WordField::Text, weights.text, Target::Text),
            (WordField::Section, weights.section, Target::Section),
            (WordField::FileName, weights.file_name, Target::Text),
            (WordField::Title, weights.title, Target::Text),
            (WordField::Aliases, weights.aliases, Target::Text),
            (WordField::Tags, weights.tags, Target::Text),
            (WordField::Area, weights.area, Target::Text),
            (WordField::Summary, weights.summary, Target::Text),
            (WordField::Properties, weights.properties, Target::Text),
        ];
        for part in 0..self.postings.n_parts() {
            for field in weighted.into_iter().filter(|(_, weight, _)| *weight != 0.0) {
                for term in self.spellings(part, field.0, group)?.iter() {
                    if !each(part, field, term)? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}

impl Sums<'_> {
    /// Keeps the sums of notes, once all words are counted in them.
    fn keep(&mut self, mut part: Part) {
        part.tally.find_best(&part.within);
        self.partly.sort_unstable();
        self.parts.push(part);
    }

    fn keep_partly(&mut self, number: usize, worth: &Worth) {
        let entries = worth.partly.iter();
        (self.partly).extend(entries.map(|&entry| (entry, number)));
    }
}

/// What a word counts for being said more than once: BM25's `(k3 + 1) n / (k3 + n)`.
fn emphasis(n_said: u32, k3: f32) -> f32 {
    let n_said = n_said.max(1) as f32;
    (k3 + 1.0) * n_said / (k3 + n_said)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::search::Tuning;
    use crate::store::lexical::{Asking, Entries, LexicalResults};
    use crate::store::{ChunkId, NoteId};

    /// Postings of the words `0`, `1`, … in the text of chunks and the titles of notes.
    struct Listed(Vec<Vec<(usize, u32)>>);

    impl Listed {
        fn of(&self, term: &str) -> &[(usize, u32)] {
            let number = term
                .parse()
                .ok()
                .and_then(|number: usize| self.0.get(number));
            number.map_or(&[], Vec::as_slice)
        }
    }

    impl Postings for Listed {
        type Error = Infallible;

        fn n_parts(&self) -> usize {
            1
        }

        fn has_terms(&self, _: usize, field: WordField) -> Result<bool, Infallible> {
            Ok(field == WordField::Text)
        }

        fn terms(
            &self,
            _: usize,
            _: WordField,
            _: &str,
            _: impl FnMut(&str),
        ) -> Result<(), Infallible> {
            Ok(())
        }

        fn entries(
            &self,
            _: usize,
            field: WordField,
            term: &str,
            mut each: impl FnMut(usize, u32) -> bool,
        ) -> Result<(), Infallible> {
            // An entry without words of its own is that of a note, which has a title.
            let is_title = |entry: usize| entry.is_multiple_of(ENTRIES_A_NOTE);
            let of_field = self.of(term).iter().filter(|(entry, _)| match field {
                WordField::Text => !is_title(*entry),
                WordField::Title => is_title(*entry),
                _ => false,
            });
            let _ = of_field.copied().all(|(entry, n)| each(entry, n));
            Ok(())
        }

        fn positions(
            &self,
            _: usize,
            _: &str,
            _: &[(usize, usize)],
            _: impl FnMut(usize, &[u32]),
        ) -> Result<(), Infallible> {
            Ok(())
        }
    }

    const N_NOTES: usize = 4_000;
    /// A note has its own entry and those of three chunks.
    const ENTRIES_A_NOTE: usize = 4;
    const N_ENTRIES: usize = N_NOTES * ENTRIES_A_NOTE;

    fn reader(words: &[(usize, u64)]) -> WordReader<Listed> {
        let mut entries = Entries::default();
        for note in 0..N_NOTES as i64 {
            let chunks =
                (0..3).map(|chunk| (ChunkId(note * 3 + chunk), 20 + (note % 7) as u32 * 9));
            entries.add(NoteId(note), 150, chunks);
        }
        entries.summarise();
        let lists = words.iter().map(|&(n, seed)| {
            let mut chance = seed | 1;
            let mut next = || {
                chance = chance
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (chance >> 33) as usize
            };
            let mut held: Vec<_> = (0..n)
                .map(|_| (next() % N_ENTRIES, 1 + next() as u32 % 4))
                .collect();
            held.sort_unstable();
            held.dedup_by_key(|(entry, _)| *entry);
            held
        });
        WordReader::new(Listed(lists.collect()), Arc::new(entries))
    }

    fn ask(
        reader: &WordReader<Listed>,
        n_words: usize,
        limit: usize,
        of: &NoteSet,
    ) -> LexicalResults {
        let term = |number: usize| TermGroup {
            terms: vec![number.to_string()],
            is_prefix: false,
        };
        let groups: Vec<TermGroup> = (0..n_words).map(term).collect();
        let query = LexicalQuery {
            groups: &groups,
            typed: &[],
            options: &Tuning::default().lexical,
            limit,
            per_note: 2,
        };
        let also: Vec<ChunkId> = (0..3 * N_NOTES as i64).step_by(97).map(ChunkId).collect();
        let (read, budget) = (|_: &_| None, Budget::default());
        let asking = Asking {
            read: &read,
            budget: &budget,
        };
        reader.search(&query, of, &also, &asking).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// What is left out of the counting cannot be told from the answer: neither from the best, nor from others.
        #[test]
        fn a_short_list_is_the_beginning_of_all(
            sizes in prop::collection::vec((prop_oneof![1usize..9, 5usize..600, 100usize..N_ENTRIES], any::<u64>()), 1..6),
            limit in 1usize..20,
            modulus in 1i64..4,
            times in 1usize..4,
        ) {
            let reader = reader(&sizes);
            let of = match modulus {
                1 => NoteSet::every(),
                _ => (0..N_NOTES as i64).filter(|id| id % modulus == 0).map(NoteId).collect(),
            };
            let all = ask(&reader, sizes.len(), usize::MAX, &of);
            // Asked again, what frequent words are worth is kept.
            for _ in 0..times {
                let few = ask(&reader, sizes.len(), limit, &of);
                let n = limit.min(all.hits.len());
                prop_assert_eq!(&few.hits[..], &all.hits[..n]);
                prop_assert_eq!(&few.also, &all.also);
                prop_assert_eq!(&few.idf, &all.idf);
            }
        }
    }
}
