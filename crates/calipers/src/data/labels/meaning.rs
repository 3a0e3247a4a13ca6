//! What a word says, however it is written.

/// Words for yes and no: where a class is called so, or a label is, it is 1 or 0.
const TRUTHS: [(&str, f64); 8] = [
    ("false", 0.0),
    ("true", 1.0),
    ("no", 0.0),
    ("yes", 1.0),
    ("neg", 0.0),
    ("pos", 1.0),
    ("negative", 0.0),
    ("positive", 1.0),
];

/// The number that a word stands for: `1`, `1.0`, `true` and `yes` are 1.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let truth = TRUTHS.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
    let written = || text.parse().ok().filter(|number: &f64| number.is_finite());
    // Adding 0 turns -0 into 0.
    truth.map(|(_, number)| *number).or_else(written).map(|number| number + 0.0)
}

/// Whether two words are the same but for the case of their letters, or mean the same number.
fn alike(one: &str, other: &str) -> bool {
    let same = one.trim().to_lowercase() == other.trim().to_lowercase();
    let numbers = number(one).zip(number(other));
    same || numbers.is_some_and(|(one, other)| one.total_cmp(&other).is_eq())
}

/// The name that a word is: to the letter, or else the only one that is alike.
pub(super) fn named(word: &str, names: &[String]) -> Option<usize> {
    if let Some(place) = names.iter().position(|name| name == word) {
        return Some(place);
    }
    let mut like = (0..names.len()).filter(|&place| alike(word, &names[place]));
    like.next().filter(|_| like.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_mean_the_same_are_the_same_name() {
        let names = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert_eq!(named("Benign", &names(&["malignant", "benign"])), Some(1));
        assert_eq!(named("1.0", &names(&["0", "1"])), Some(1));
        assert_eq!(named("True", &names(&["true", "false"])), Some(0));
        assert_eq!(named("1", &names(&["yes", "no"])), Some(0));
        assert_eq!(named("-0", &names(&["0", "1"])), Some(0));
        // To the letter before anything else, and nothing where two would do.
        assert_eq!(named("B", &names(&["b", "B"])), Some(1));
        assert_eq!(named("1", &names(&["yes", "true"])), None);
        assert_eq!(named("fox", &names(&["cat", "dog"])), None);
    }
}
