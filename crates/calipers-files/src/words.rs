//! Words that messages are made of.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use calipers::words::visible;

/// Below this Jaro-Winkler similarity a suggestion would be a guess; clap uses 0.7 for flags,
/// where there are fewer words to choose from.
const SIMILAR: f64 = 0.8;

/// A hint that names the candidate nearest to a misspelt word, if one is near.
///
/// ```
/// use calipers_files::words::did_you_mean;
///
/// let names = ["temperature", "isotonic"];
/// assert_eq!(did_you_mean("isotonik", names).as_deref(), Some("did you mean isotonic?"));
/// assert_eq!(did_you_mean("xgboost", names), None);
/// ```
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(word, candidates).map(|name| format!("did you mean {name}?"))
}

fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_lowercase()), candidate))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, candidate)| candidate)
}

/// The system's message without its `(os error 2)`, which says nothing more.
///
/// ```
/// use calipers_files::words::plain;
///
/// let error = std::fs::File::open("nowhere.csv").unwrap_err();
/// assert_eq!(plain(&error), "no such file or directory");
/// ```
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// What a file is called where people read it.
///
/// ```
/// use calipers_files::words::file_name;
///
/// assert_eq!(file_name("new\nline.csv".as_ref()), "new\\nline.csv");
/// ```
pub fn file_name(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

/// A text, or its start and its end if it is very long: a file may name a column with a megabyte of
/// letters.
///
/// ```
/// use calipers_files::words::shortened;
///
/// assert_eq!(shortened("short"), "short");
/// assert!(shortened(&"x".repeat(1_000_000)).len() < 12_000);
/// ```
pub fn shortened(text: &str) -> Cow<'_, str> {
    /// Letters; longer than a path can be.
    const LONGEST: usize = 10_000;
    let Some((start, _)) = text.char_indices().nth(LONGEST) else { return Cow::Borrowed(text) };
    let end = text.char_indices().rev().nth(LONGEST / 10).map_or(start, |(end, _)| end.max(start));
    Cow::Owned(format!("{} … {}", &text[..start], &text[end..]))
}

/// `a, b and c`.
pub(crate) fn joined(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested_and_far_ones_are_not() {
        let names = ["temperature", "isotonic", "kernel"];
        assert_eq!(nearest("isotonik", names), Some("isotonic"));
        assert_eq!(nearest("KERNEL", names), Some("kernel"));
        assert_eq!(nearest("xgboost", names), None);
    }

    #[test]
    fn long_texts_keep_their_ends() {
        assert_eq!(shortened("short"), "short");
        let long = format!("start{}end", "é".repeat(1_000_000));
        let short = shortened(&long);
        assert!(short.starts_with("starté") && short.ends_with("éend"));
        assert_eq!(short.chars().count(), 11_004);
    }

    #[test]
    fn numbers_and_lists_are_easy_to_read() {
        let words = ["a", "b", "c"].map(str::to_owned);
        assert_eq!([0, 1, 3].map(|count| joined(&words[..count], "or")), ["", "a", "a, b or c"]);
    }
}
