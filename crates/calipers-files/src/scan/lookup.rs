//! The codes of words, looked up by one thread: the book is asked, and locked, for a new word alone.

use std::collections::{BTreeMap, HashMap};

use calipers::words::{listed, thousands};

use super::book::{Book, Fewest, MOST, Refused, Seen, Word};
use super::keys::spell;
use crate::columns::cells::{missing, wrong_kind};
use crate::error::{Error, Result};
use crate::formats::csv::number;
use crate::table::{Column, Source, Values};

/// Whole numbers below this are looked up by themselves: nearly all labels are.
const SMALL: usize = 256;

/// Words that are compared before they are hashed.
const RECENT: usize = 64;

/// No code.
const NONE: u32 = u32::MAX;

/// What a thread knows of a book.
pub struct Lookup<'b> {
    book: &'b Book,
    /// What a word is called in messages.
    what: &'static str,
    small: [u32; SMALL],
    numbers: HashMap<u64, u32>,
    words: HashMap<String, u32>,
    /// A word, at a place that its letters say.
    recent: Vec<(String, u32)>,
    /// What was seen of each code since it was last handed over.
    seen: Vec<Seen>,
    /// The codes that were seen since.
    touched: Vec<u32>,
    /// The fewest options of the rows of each code since.
    fewest: BTreeMap<u32, Fewest>,
}

impl<'b> Lookup<'b> {
    /// Nothing is known yet.
    pub fn new(book: &'b Book, what: &'static str) -> Self {
        Self {
            book,
            what,
            small: [NONE; SMALL],
            numbers: HashMap::new(),
            words: HashMap::new(),
            recent: vec![(String::new(), NONE); RECENT],
            seen: Vec::new(),
            touched: Vec::new(),
            fewest: BTreeMap::new(),
        }
    }

    /// The code of each cell of a column, in which none may be missing.
    ///
    /// # Errors
    /// A cell is empty, or a word that the book does not take.
    pub fn codes(&mut self, column: &Column, source: &Source) -> Result<Vec<u32>> {
        let name = &column.name;
        match &column.values {
            Values::Numbers(numbers) => self.codes_of_numbers(numbers, name, source),
            Values::Text(text) => self.codes_of_words(text.iter(), text.len(), name, source),
            other => Err(wrong_kind(source, name, other, self.what)),
        }
    }

    /// Hands over to the book what was seen since, in rows of this file.
    pub fn settle(&mut self, file: usize) {
        let seen = &mut self.seen;
        let nothing = Seen { count: 0, first: 0 };
        self.book.add(
            file,
            self.touched.drain(..).filter_map(|code| {
                let seen = seen.get_mut(code as usize)?;
                Some((code, std::mem::replace(seen, nothing)))
            }),
        );
        self.book.add_fewest(
            std::mem::take(&mut self.fewest)
                .into_iter()
                .map(|(code, fewest)| (code, Fewest { file, ..fewest })),
        );
    }

    /// Notes how many options the rows of these codes have, where that differs from row to row.
    pub fn see_options(&mut self, codes: &[u32], options: &[u32], source: &Source) {
        for (row, (&code, &options)) in codes.iter().zip(options).enumerate() {
            let fewer = self.fewest.get(&code).is_none_or(|fewest| options < fewest.options);
            if fewer {
                let (row, place) = (source.first() + row as u64, source.place(row));
                self.fewest.insert(code, Fewest { options, file: 0, row, place });
            }
        }
    }

    fn codes_of_numbers(
        &mut self,
        numbers: &[f64],
        name: &str,
        source: &Source,
    ) -> Result<Vec<u32>> {
        let mut codes = Vec::with_capacity(numbers.len());
        for (row, &number) in numbers.iter().enumerate() {
            let small = number as u8;
            let mut code = NONE;
            if f64::from(small).to_bits() == number.to_bits() {
                code = self.small[usize::from(small)];
            }
            if code == NONE {
                code = self.code_of_number(number, row, name, source)?;
            }
            self.see(code, row, source);
            codes.push(code);
        }
        Ok(codes)
    }

    #[cold]
    fn code_of_number(
        &mut self,
        number: f64,
        row: usize,
        name: &str,
        source: &Source,
    ) -> Result<u32> {
        if number.is_nan() {
            return Err(missing(source, name, row, self.what));
        }
        // Adding 0 turns -0 into 0.
        let number = number + 0.0;
        if let Some(&code) = self.numbers.get(&number.to_bits()) {
            return Ok(code);
        }
        let code = self.ask(&Word::number(number), row, name, source)?;
        self.numbers.insert(number.to_bits(), code);
        let small = number as u8;
        if f64::from(small).to_bits() == number.to_bits() {
            self.small[usize::from(small)] = code;
        }
        Ok(code)
    }

    fn codes_of_words<'c>(
        &mut self,
        cells: impl Iterator<Item = &'c str>,
        rows: usize,
        name: &str,
        source: &Source,
    ) -> Result<Vec<u32>> {
        let mut codes = Vec::with_capacity(rows);
        for (row, cell) in cells.enumerate() {
            let (known, code) = &self.recent[place(cell)];
            let code = if known == cell && *code != NONE {
                *code
            } else {
                self.code_of_word(cell, row, name, source)?
            };
            self.see(code, row, source);
            codes.push(code);
        }
        Ok(codes)
    }

    fn code_of_word(&mut self, cell: &str, row: usize, name: &str, source: &Source) -> Result<u32> {
        if cell.is_empty() {
            return Err(missing(source, name, row, self.what));
        }
        let code = match self.words.get(cell) {
            Some(&code) => code,
            None => {
                let code = self.ask(&word(cell, source), row, name, source)?;
                self.words.insert(cell.to_owned(), code);
                code
            }
        };
        let (known, known_code) = &mut self.recent[place(cell)];
        known.clear();
        known.push_str(cell);
        *known_code = code;
        Ok(code)
    }

    #[inline]
    fn see(&mut self, code: u32, row: usize, source: &Source) {
        let at = code as usize;
        if at >= self.seen.len() {
            self.seen.resize(at + 1, Seen { count: 0, first: 0 });
        }
        let seen = &mut self.seen[at];
        if seen.count == 0 {
            seen.first = source.first() + row as u64;
            self.touched.push(code);
        }
        seen.count += 1;
    }

    /// Asks the book for a word that this thread has not met.
    fn ask(&self, word: &Word, row: usize, name: &str, source: &Source) -> Result<u32> {
        let what = self.what;
        self.book.code(word).map_err(|refused| match refused {
            Refused::Unknown => {
                let known: Vec<String> =
                    self.book.words().into_iter().map(|entry| entry.text).collect();
                let place = source.cell(row, name);
                Error::input(format!(
                    "{place}: {what} {:?} is none of {}",
                    word.text,
                    listed(&known)
                ))
            }
            // Where the last one was is a matter of which thread came first.
            Refused::TooMany => Error::input(format!(
                "column {name}: there are more than {} different {what}s",
                thousands(MOST)
            )),
        })
    }
}

/// A word of a column of text. In a text file a cell may be a number in one batch and text in the next,
/// where another cell is none: it is to be the same word.
fn word(cell: &str, source: &Source) -> Word {
    match number(cell.as_bytes()).filter(|_| source.is_text()) {
        None => Word::text(cell),
        Some(number) => {
            let mut text = String::new();
            spell(number, &mut text);
            Word::text(text)
        }
    }
}

/// Where a word is kept among the recent ones: by its length, its first letter and its last.
fn place(word: &str) -> usize {
    let bytes = word.as_bytes();
    let first = bytes.first().copied().unwrap_or(0);
    let last = bytes.last().copied().unwrap_or(0);
    (usize::from(first) * 7 + usize::from(last) * 3 + bytes.len()) % RECENT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Lines, Text};

    fn column(values: Values) -> Column {
        Column { name: "y".to_owned(), values }
    }

    #[test]
    fn numbers_and_words_that_are_written_alike_have_one_code() {
        let book = Book::new();
        let mut lookup = Lookup::new(&book, "label");
        let source = Source::text("a.csv", Lines::default()).starting(10);
        let numbers = column(Values::Numbers(vec![1.0, 300.0, 0.5, -0.0, 1.0, 0.0]));
        assert_eq!(lookup.codes(&numbers, &source).unwrap(), [0, 1, 2, 3, 0, 3]);
        let cells: Text = ["a", "1.0", "300", "0", "a"].into_iter().collect();
        let words = column(Values::Text(cells));
        assert_eq!(lookup.codes(&words, &source).unwrap(), [4, 0, 1, 3, 4]);
        lookup.settle(2);
        lookup.settle(2);
        let words = book.words();
        let counts: Vec<u64> = words.iter().map(|entry| entry.count).collect();
        assert_eq!(counts, [3, 2, 1, 3, 2]);
        assert_eq!((words[1].first, words[3].first), (Some((2, 11)), Some((2, 13))));
        assert_eq!((words[2].number, words[1].number), (Some(0.5), None));
    }

    #[test]
    fn words_of_a_table_are_themselves() {
        let book = Book::new();
        let mut lookup = Lookup::new(&book, "label");
        let cells: Text = ["1.0", "1"].into_iter().collect();
        let codes = lookup.codes(&column(Values::Text(cells)), &Source::rows("a.parquet"));
        assert_eq!(codes.unwrap(), [0, 1]);
    }

    #[test]
    fn what_is_missing_or_new_is_named_with_its_place() {
        let book = Book::known([Word::number(0.0), Word::text("yes")], true);
        let mut lookup = Lookup::new(&book, "label");
        let source = Source::rows("a.parquet").starting(100);
        let mut fault = |values: Values| {
            lookup.codes(&column(values), &source).unwrap_err().message().to_owned()
        };
        let missing = "a.parquet, row 101, column y: the label is missing";
        assert_eq!(fault(Values::Numbers(vec![0.0, f64::NAN])), missing);
        assert_eq!(fault(Values::Text(["yes", ""].into_iter().collect())), missing);
        let unknown = "a.parquet, row 101, column y: label \"7\" is none of 0, yes";
        assert_eq!(fault(Values::Numbers(vec![0.0, 7.0])), unknown);
        let kind = "a.parquet, column y: a label cannot be a list";
        assert_eq!(fault(Values::Other("a list".to_owned())), kind);
    }

    #[test]
    fn more_words_than_a_book_holds_are_refused() {
        let book = Book::known((0..MOST).map(|word| Word::text(format!("w{word}"))), false);
        let mut lookup = Lookup::new(&book, "group");
        let numbers = column(Values::Numbers(vec![1.0]));
        let error = lookup.codes(&numbers, &Source::rows("a.parquet")).unwrap_err();
        assert_eq!(error.message(), "column y: there are more than 1,000,000 different groups");
    }
}
