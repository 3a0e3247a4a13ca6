//! Words for messages: lists, large numbers, and names that somebody else gave.

use std::borrow::Cow;
use std::fmt::Display;

/// How many names of a long list are spelt out.
const SHOWN: usize = 12;

/// Names in a row, the middle of a long list left out.
///
/// ```
/// assert_eq!(calipers::words::listed(&["cat", "dog"]), "cat, dog");
/// ```
pub fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let all: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    if all.len() <= SHOWN {
        return all.join(", ");
    }
    let first = &all[..SHOWN / 2];
    format!("{}, ..., {} ({} in all)", first.join(", "), all[all.len() - 1], all.len())
}

/// A whole number with its thousands apart.
///
/// ```
/// assert_eq!(calipers::words::thousands(1_234_567_usize), "1,234,567");
/// ```
pub fn thousands(number: impl Display) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A text in which characters that would do something are shown instead: a file may be called anything,
/// and its name must neither break a line nor colour a terminal.
///
/// ```
/// use calipers::words::visible;
///
/// assert_eq!(visible("tab\there\u{1b}[31m"), "tab\\there\\u{1b}[31m");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if letter.is_control() {
            safe.extend(letter.escape_default());
        } else {
            safe.push(letter);
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let texts = [0, 999, 1_000, 123_456, 1_234_567].map(|number: usize| thousands(number));
        assert_eq!(texts, ["0", "999", "1,000", "123,456", "1,234,567"]);
        assert_eq!(thousands(u128::MAX).len(), 39 + 12);
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..100).map(|at| format!("p_{at}")).collect();
        assert_eq!(listed(&names[..3]), "p_0, p_1, p_2");
        assert_eq!(listed(&names), "p_0, p_1, p_2, p_3, p_4, p_5, ..., p_99 (100 in all)");
    }
}
