//! The classes' names behind those of their columns.

/// What people put before a class's name.
const BEFORE: [&str; 9] =
    ["p", "pr", "prob", "proba", "probs", "probability", "score", "logit", "y_prob"];

/// Words beside a single column's class that say nothing of it.
const BESIDE: [&str; 6] = ["class", "label", "y", "pred", "softmax", "of"];

/// What stands between that and the name.
const BETWEEN: [char; 8] = ['_', '.', '-', ' ', '(', '[', ':', '|'];

/// What a column's name says before the class's, if it has such a start and something follows.
pub fn prefix(name: &str) -> Option<&str> {
    let end = name.find(BETWEEN)?;
    let longest = name.find("prob_").filter(|at| *at == 2).map_or(end, |at| at + 4);
    let end = if name.get(..longest).is_some_and(is_known) { longest } else { end };
    let after = end + name[end..].find(|letter| !BETWEEN.contains(&letter))?;
    name.get(..end).filter(|start| is_known(start))?;
    name.get(..after)
}

fn is_known(start: &str) -> bool {
    BEFORE.iter().any(|known| known.eq_ignore_ascii_case(start))
}

/// The class that a single column is of, by its name: what follows `p_`, or is wrapped in `P(…)`.
pub(super) fn of_one(column: &str) -> &str {
    let Some(start) = prefix(column) else { return column };
    let rest = &column[start.len()..];
    let open = start.chars().next_back();
    match open {
        Some('(') => rest.strip_suffix(')').unwrap_or(rest),
        Some('[') => rest.strip_suffix(']').unwrap_or(rest),
        _ => rest,
    }
}

/// What a single column may be called after: its whole name, what is left without [`prefix`], or the
/// only word of it that says something: `0` of `class_0` and `proba0`, `yes` of `yes_score`.
pub(super) fn callings(column: &str) -> Vec<&str> {
    let mut names = vec![column, of_one(column)];
    let telling: Vec<&str> =
        words(column).into_iter().filter(|word| !is_known(word) && !is_beside(word)).collect();
    if let [only] = telling.as_slice() {
        names.push(only);
    }
    names
}

fn is_beside(word: &str) -> bool {
    BESIDE.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// The words of a name: runs of letters, and of digits.
pub(super) fn words(name: &str) -> Vec<&str> {
    let parts = name.split(|letter: char| !letter.is_alphanumeric());
    let parts = parts.flat_map(|part| {
        let digits = part.find(|letter: char| letter.is_numeric()).unwrap_or(part.len());
        let (word, number) = part.split_at(digits);
        // `2nd` is a word of its own.
        if word.is_empty() || number.chars().any(|letter| !letter.is_numeric()) {
            [part, ""]
        } else {
            [word, number]
        }
    });
    parts.filter(|word| !word.is_empty()).collect()
}

/// The columns' names without what they share: a start that ends at a border between words, or
/// before numbers, and an end that starts at one.
///
/// ```
/// use calipers::labels::class_names;
///
/// assert_eq!(class_names(&["p_cat", "p_dog"]), ["cat", "dog"]);
/// assert_eq!(class_names(&["P(1)", "P(0)"]), ["1", "0"]);
/// assert_eq!(class_names(&["class10", "class11"]), ["10", "11"]);
/// assert_eq!(class_names(&["cat", "car"]), ["cat", "car"]);
/// ```
pub fn class_names(columns: &[&str]) -> Vec<String> {
    let whole = || columns.iter().map(|&name| name.to_owned()).collect();
    let [first, others @ ..] = columns else { return Vec::new() };
    if others.is_empty() {
        return vec![of_one(first).to_owned()];
    }
    let start = shared_start(columns);
    let rests: Vec<&str> = columns.iter().map(|name| &name[start..]).collect();
    let end = shared_end(&rests);
    let names: Vec<&str> = rests.iter().map(|rest| &rest[..rest.len() - end]).collect();
    let distinct = |names: &[&str]| {
        let mut sorted = names.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        sorted.len() == names.len() && !sorted.contains(&"")
    };
    if distinct(&names) { names.into_iter().map(str::to_owned).collect() } else { whole() }
}

/// The length of the start that all names share, up to a border.
fn shared_start(names: &[&str]) -> usize {
    let shared = names.iter().skip(1).fold(names[0].len(), |shared, name| {
        let same =
            names[0].bytes().zip(name.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b));
        shared.min(same.count())
    });
    let is_border = |&at: &usize| {
        names.iter().all(|name| name.is_char_boundary(at) && at < name.len()) && {
            let before = names[0][..at].chars().next_back();
            let after = |name: &&str| name[at..].chars().next();
            match before {
                None => true,
                Some(letter) if !letter.is_alphanumeric() => true,
                Some(letter) if letter.is_numeric() => false,
                Some(letter) => {
                    let numbers = names.iter().filter_map(after).all(char::is_numeric);
                    let humps = letter.is_lowercase()
                        && names.iter().filter_map(after).all(char::is_uppercase);
                    numbers || humps
                }
            }
        }
    };
    (0..=shared).rev().find(is_border).unwrap_or(0)
}

/// The length of the end that all names share, from a border on.
fn shared_end(names: &[&str]) -> usize {
    let shared = names.iter().skip(1).fold(names[0].len(), |shared, name| {
        let pairs = names[0].bytes().rev().zip(name.bytes().rev());
        shared.min(pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count())
    });
    let begins = |&length: &usize| {
        names.iter().all(|name| name.is_char_boundary(name.len() - length))
            && names[0][names[0].len() - length..]
                .chars()
                .next()
                .is_some_and(|c| !c.is_alphanumeric())
    };
    (1..=shared).rev().find(begins).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_columns_share_is_cut_at_borders() {
        for (columns, names) in [
            (["p_cat", "p_dog"], ["cat", "dog"]),
            (["P_cat", "p_dog"], ["cat", "dog"]),
            (["prob.0", "prob.1"], ["0", "1"]),
            (["p1", "p0"], ["1", "0"]),
            (["p_true", "p_false"], ["true", "false"]),
            (["class_1", "class_0"], ["1", "0"]),
            (["P(yes)", "P(no)"], ["yes", "no"]),
            (["cat_prob", "dog_prob"], ["cat", "dog"]),
            (["probCat", "probDog"], ["Cat", "Dog"]),
            (["class_10", "class_11"], ["10", "11"]),
            (["cat", "car"], ["cat", "car"]),
            (["p_cat", "prob_dog"], ["p_cat", "prob_dog"]),
            (["p_", "p_dog"], ["p_", "p_dog"]),
            (["é", "p_x"], ["é", "p_x"]),
            (["yes", "no"], ["yes", "no"]),
            (["0", "1"], ["0", "1"]),
            (["p_é", "p_è"], ["é", "è"]),
            (["same", "same"], ["same", "same"]),
        ] {
            assert_eq!(class_names(&columns), names, "{columns:?}");
        }
        assert_eq!(class_names(&["class2", "class1", "class0"]), ["2", "1", "0"]);
    }

    #[test]
    fn a_single_column_is_of_what_follows_or_is_wrapped() {
        for (column, name) in [
            ("p_benign", "benign"),
            ("P(benign)", "benign"),
            ("Pr[yes]", "yes"),
            ("prob.1", "1"),
            ("score", "score"),
            ("p", "p"),
            ("p_", "p_"),
            ("y_prob_cat", "cat"),
            ("benign", "benign"),
        ] {
            assert_eq!(of_one(column), name, "{column}");
        }
        for (column, word) in [
            ("p0", "0"),
            ("class_0", "0"),
            ("proba0", "0"),
            ("score_class0", "0"),
            ("yes_score", "yes"),
            ("y_pred_proba_1", "1"),
        ] {
            assert_eq!(callings(column).last(), Some(&word), "{column}");
        }
        assert_eq!(callings("model_0"), ["model_0", "model_0"]);
        assert_eq!(words("a1_2nd(b-7)"), ["a", "1", "2nd", "b", "7"]);
    }
}
