//! "Did you mean …?"

/// Below this Jaro-Winkler similarity a suggestion would be a guess; clap uses 0.7 for flags,
/// where there are fewer words to choose from.
const SIMILAR: f64 = 0.8;

/// A hint that names the candidate nearest to a misspelt word, if one is near.
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
}
