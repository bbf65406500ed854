//! What is wrong with the tags of a vault: not in the vocabulary, or one tag in two spellings. Pure.

use std::collections::BTreeMap;

use super::taxonomy::{Vocabulary, is_form};

/// A tag that may be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The tag, as it is written most often.
    pub tag: String,
    /// How many notes have it.
    pub n_notes: usize,
    /// What is wrong.
    pub reason: String,
    /// What it could be instead.
    pub instead: Option<String>,
}

/// Checks the tags in use, each with the number of its notes, as they are written.
pub fn check(counts: &BTreeMap<String, usize>, vocabulary: Option<&Vocabulary>) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for (tag, &n_notes) in counts {
        let mut doubt = |reason: &str, instead: Option<String>| {
            doubts.push(Doubt {
                tag: tag.clone(),
                n_notes,
                reason: reason.to_owned(),
                instead,
            });
        };
        let commoner = counts.iter().find(|(other, n)| {
            let is_other = *other != tag && (**n, tag) > (n_notes, *other);
            is_other && is_form(&tag.to_lowercase(), &other.to_lowercase())
        });
        match vocabulary {
            Some(vocabulary) if vocabulary.get(tag).is_some() => {}
            Some(vocabulary) => {
                let nearest = vocabulary.nearest(tag).map(|entry| entry.tag.clone());
                doubt("it is not in the vocabulary", nearest);
            }
            None => {
                if let Some((other, _)) = commoner {
                    doubt("it is spelled in another way, too", Some(other.clone()));
                }
            }
        }
    }
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_and_strangers_are_told() {
        let counts = [
            ("book", 1),
            ("books", 4),
            ("To-Do", 2),
            ("todo", 2),
            ("x", 1),
        ];
        let counts: BTreeMap<String, usize> = counts.map(|(tag, n)| (tag.to_owned(), n)).into();
        let told = |vocabulary: Option<&Vocabulary>| -> Vec<String> {
            let doubts = check(&counts, vocabulary).into_iter();
            doubts
                .map(|doubt| format!("{} -> {}", doubt.tag, doubt.instead.unwrap_or_default()))
                .collect()
        };
        assert_eq!(told(None), ["book -> books", "todo -> To-Do"]);
        let vocabulary = Vocabulary::read("- books\n- todo\n");
        assert_eq!(
            told(Some(&vocabulary)),
            ["To-Do -> todo", "book -> books", "x -> "]
        );
    }
}
