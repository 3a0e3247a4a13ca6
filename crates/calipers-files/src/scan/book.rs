//! The distinct words of a column, numbered.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::keys::spell;

/// Distinct words that a book holds at most; each takes a hundred bytes or so, a few times over.
pub const MOST: usize = 1_000_000;

/// Distinct words (labels, groups or folds), each with a code, shared by the threads of a scan.
///
/// A number is the word that it is written as, so that 1 in one file and `1` in another are the same.
/// The order of the codes may depend on which thread came first; everything else about a word does not.
///
/// ```
/// use calipers_files::{Book, Word};
///
/// let book = Book::known([Word::text("cat"), Word::number(1.0)], false);
/// let words = book.words();
/// assert_eq!((words[0].text.as_str(), words[1].text.as_str()), ("cat", "1"));
/// assert_eq!((words[1].number, words[1].count, words[1].first), (Some(1.0), 0, None));
/// ```
#[derive(Debug, Default)]
pub struct Book {
    pages: Mutex<Pages>,
    closed: bool,
}

#[derive(Debug, Default)]
struct Pages {
    codes: HashMap<String, u32>,
    entries: Vec<Entry>,
    fewest: BTreeMap<u32, Fewest>,
}

/// A word, and the number that it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The word as it is written.
    pub text: String,
    /// The number, if it is one of a column of numbers.
    pub number: Option<f64>,
}

/// What is known about a word.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The word as it is written.
    pub text: String,
    /// The number that it is, if it came from columns of numbers alone.
    pub number: Option<f64>,
    /// Where it first occurs, if it does: which file, and which row of it, both from 0.
    pub first: Option<(usize, u64)>,
    /// How often it occurs.
    pub count: u64,
}

/// How often a word occurs among some rows, and where it does first.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    pub count: u64,
    pub first: u64,
}

/// The fewest options of any row that a word is the label of, and which row that is, the first of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fewest {
    pub options: u32,
    pub file: usize,
    pub row: u64,
    /// The row as messages name it.
    pub place: String,
}

/// Why a word has no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It is new, and new ones are not taken.
    Unknown,
    /// There are too many already.
    TooMany,
}

impl Word {
    /// A word of a column of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), number: None }
    }

    /// A number of a column of numbers.
    pub fn number(number: f64) -> Self {
        let mut text = String::new();
        spell(number, &mut text);
        Self { text, number: Some(number) }
    }
}

impl Book {
    /// An empty one, which takes any word.
    pub fn new() -> Self {
        Self::default()
    }

    /// One of words that are known already, which have the codes from 0 on; new ones are refused if it is
    /// `closed`. A word that is given twice has the code of its first place, as if the second were not
    /// there.
    pub fn known(words: impl IntoIterator<Item = Word>, closed: bool) -> Self {
        let mut pages = Pages::default();
        for word in words {
            pages.code(&word);
        }
        Self { pages: Mutex::new(pages), closed }
    }

    /// The words, in the order of their codes.
    pub fn words(&self) -> Vec<Entry> {
        self.pages().entries.clone()
    }

    /// Another book of the same words that were known at the start, if it was closed; else an empty one.
    pub(super) fn like(&self) -> Self {
        if !self.closed {
            return Self::new();
        }
        let words = self.words().into_iter();
        Self::known(words.map(|Entry { text, number, .. }| Word { text, number }), true)
    }

    /// The code of a word, which may be new.
    pub(super) fn code(&self, word: &Word) -> Result<u32, Refused> {
        let mut pages = self.pages();
        match pages.codes.contains_key(&word.text) {
            false if self.closed => Err(Refused::Unknown),
            false if pages.entries.len() >= MOST => Err(Refused::TooMany),
            _ => Ok(pages.code(word)),
        }
    }

    /// Adds what was seen in some rows of a file: the codes and what there is to say of each.
    pub(super) fn add(&self, file: usize, seen: impl Iterator<Item = (u32, Seen)>) {
        let mut pages = self.pages();
        for (code, seen) in seen {
            if let Some(entry) = pages.entries.get_mut(code as usize) {
                let first = (file, seen.first);
                entry.count += seen.count;
                entry.first = Some(entry.first.map_or(first, |before| before.min(first)));
            }
        }
    }

    /// Adds the fewest options of the rows of some codes.
    pub(super) fn add_fewest(&self, seen: impl Iterator<Item = (u32, Fewest)>) {
        let mut seen = seen.peekable();
        // Only rows with lists of different lengths have any, and the lock is every thread's.
        if seen.peek().is_none() {
            return;
        }
        let mut pages = self.pages();
        for (code, fewest) in seen {
            let order = |one: &Fewest| (one.options, one.file, one.row);
            let least = pages.fewest.get(&code).is_none_or(|before| order(&fewest) < order(before));
            if least {
                pages.fewest.insert(code, fewest);
            }
        }
    }

    /// The words in the order of their codes, with the fewest options of their rows.
    pub(super) fn fewest(&self) -> Vec<(Entry, Option<Fewest>)> {
        let pages = self.pages();
        let entries = pages.entries.iter().cloned().enumerate();
        entries.map(|(code, entry)| (entry, pages.fewest.get(&(code as u32)).cloned())).collect()
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pages {
    /// The code of a word, which is added if it is new.
    fn code(&mut self, word: &Word) -> u32 {
        let Word { text, number } = word;
        if let Some(&code) = self.codes.get(text) {
            if let (None, Some(entry)) = (number, self.entries.get_mut(code as usize)) {
                entry.number = None;
            }
            return code;
        }
        let code = self.entries.len() as u32;
        self.codes.insert(text.clone(), code);
        self.entries.push(Entry { text: text.clone(), number: *number, first: None, count: 0 });
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_number_until_it_is_seen_as_text() {
        let book = Book::new();
        assert_eq!(book.code(&Word::number(-0.0)), Ok(0));
        assert_eq!(book.code(&Word::number(2.0)), Ok(1));
        assert_eq!(book.code(&Word::text("2")), Ok(1));
        assert_eq!(book.code(&Word::number(2.0)), Ok(1));
        let numbers: Vec<Option<f64>> = book.words().iter().map(|entry| entry.number).collect();
        assert_eq!(numbers, [Some(0.0), None]);
    }

    #[test]
    fn the_first_place_is_the_smallest_and_not_the_earliest() {
        let book = Book::known([Word::text("a"), Word::text("a"), Word::text("b")], true);
        book.add(1, [(0, Seen { count: 2, first: 0 })].into_iter());
        book.add(0, [(0, Seen { count: 1, first: 7 })].into_iter());
        let words = book.words();
        assert_eq!((words[0].first, words[0].count), (Some((0, 7)), 3));
        assert_eq!((words[1].first, words[1].count), (None, 0));
        assert_eq!(book.code(&Word::text("c")), Err(Refused::Unknown));
        assert_eq!(book.like().code(&Word::text("b")), Ok(1));
    }
}
