//! `NaN` and `Infinity`, which are no JSON, but which Python's library writes, and logits may well be −∞.

/// Marks a string that was such a token: no writer begins a string with it.
const MARK: char = '\0';

/// Each token, and what stands for it in JSON. A logit of −∞ says that an option is impossible; what is no
/// number is missing.
const TOKENS: [(&[u8], &[u8]); 3] =
    [(b"-Infinity", b"\"\\u0000-inf\""), (b"Infinity", b"\"\\u0000inf\""), (b"NaN", b"null")];

/// The line as JSON, if it has such tokens outside of its strings.
pub fn rewritten(line: &[u8]) -> Option<Vec<u8>> {
    let mut written = Vec::with_capacity(line.len() + 64);
    let (mut rest, mut quoted, mut found) = (line, false, false);
    while let Some((&byte, after)) = rest.split_first() {
        let token = TOKENS.iter().find(|(token, _)| !quoted && rest.starts_with(token));
        if let Some((token, json)) = token {
            written.extend_from_slice(json);
            rest = &rest[token.len()..];
            found = true;
            continue;
        }
        written.push(byte);
        rest = after;
        match byte {
            b'"' => quoted = !quoted,
            b'\\' if quoted => {
                if let Some((&escaped, after)) = rest.split_first() {
                    written.push(escaped);
                    rest = after;
                }
            }
            _ => {}
        }
    }
    found.then_some(written)
}

/// The number of a string that was a token.
pub fn infinite(word: &str) -> Option<f64> {
    word.strip_prefix(MARK).and_then(spelt_infinite)
}

/// The number that a string in a list of numbers spells where JSON has none: ±∞, or what is no number.
pub fn spelt_infinite(word: &str) -> Option<f64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let is = |name: &str| digits.eq_ignore_ascii_case(name);
    match is("inf") || is("infinity") {
        true if word.starts_with('-') => Some(f64::NEG_INFINITY),
        true => Some(f64::INFINITY),
        false => is("nan").then_some(f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_rewritten_outside_of_strings_alone() {
        let written =
            |line: &str| rewritten(line.as_bytes()).map(|line| String::from_utf8(line).unwrap());
        assert_eq!(
            written("{\"NaN\": NaN, \"a\\\"\": [-Infinity, Infinity]}").as_deref(),
            Some("{\"NaN\": null, \"a\\\"\": [\"\\u0000-inf\", \"\\u0000inf\"]}")
        );
        assert_eq!(written("{\"a\": \"NaN \\\\\"}"), None);
        assert_eq!(infinite("\0-inf"), Some(f64::NEG_INFINITY));
        assert_eq!((infinite("-inf"), spelt_infinite("-1")), (None, None));
        assert!(spelt_infinite("NaN").is_some_and(f64::is_nan));
    }
}
