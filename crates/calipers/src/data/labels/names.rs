/// What people put before a class's name.
const PREFIXES: [&str; 10] = [
    "p_",
    "prob_",
    "proba_",
    "p.",
    "prob.",
    "proba.",
    "probability_",
    "probability.",
    "logit_",
    "logit.",
];

/// The prefix of a probability column's name, if it has one and something follows.
pub fn prefix(name: &str) -> Option<&'static str> {
    PREFIXES.into_iter().find(|prefix| {
        name.len() > prefix.len()
            && name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    })
}

/// The columns' names, without the prefix if they all share one.
///
/// ```
/// assert_eq!(calipers::labels::class_names(&["p_cat", "p_dog"]), ["cat", "dog"]);
/// ```
pub fn class_names(columns: &[&str]) -> Vec<String> {
    let shared = columns
        .first()
        .and_then(|first| prefix(first))
        .filter(|&shared| columns.iter().all(|column| prefix(column) == Some(shared)));
    let cut = shared.map_or(0, str::len);
    columns.iter().map(|column| column.get(cut..).unwrap_or(column).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_prefix_is_cut_and_no_other() {
        assert_eq!(class_names(&["p_cat", "p_dog"]), ["cat", "dog"]);
        assert_eq!(class_names(&["P_cat", "p_dog"]), ["cat", "dog"]);
        assert_eq!(class_names(&["prob.0", "prob.1"]), ["0", "1"]);
        assert_eq!(class_names(&["p_cat", "prob_dog"]), ["p_cat", "prob_dog"]);
        assert_eq!(class_names(&["p_", "p_dog"]), ["p_", "p_dog"]);
        assert_eq!(class_names(&["p1", "p2"]), ["p1", "p2"]);
        assert_eq!(class_names(&["é", "p_x"]), ["é", "p_x"]);
    }
}
