//! Models in the order of what is found of their errors, and which of them cannot be told apart.
//!
//! All of it is of what is *found*: a recalibrator may miss more of one error than of another, so that a
//! model of a larger error can come first.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::Comparison;
use crate::estimate::report::{Report, number};

/// More groups than this are left out. There may be as many as 2 to the power of half the models, and
/// letters help nobody beyond the end of the alphabet.
const MOST_GROUPS: usize = 26;

/// The models of a [`Comparison`] by one metric, the least error found first.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leaderboard {
    /// The metric's name.
    pub metric: String,
    /// The models, in order.
    pub places: Vec<Place>,
}

/// Where a model stands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The model's number in the comparison.
    pub model: usize,
    /// The best and the worst rank that the rows allow: in as many models clearly less error is found than
    /// in it, and in as many clearly more. Ranks are of what is found, not of the errors themselves. For one
    /// metric, the claims about all pairs hold together, with the confidence of the reports; those of
    /// several metrics do not.
    pub rank: (usize, usize),
    /// The groups that it is in, by their numbers. Of two models that share a group, in neither more error is
    /// shown to be found than in the other; of two that share none, in one it is. Empty for all models where
    /// there are more than 26 groups.
    pub groups: Vec<usize>,
}

impl Comparison {
    /// The models by a metric: by the estimate of what was found. Nothing is said by the order itself; what
    /// is shown is in the ranks and the groups.
    ///
    /// ```
    /// use calipers::{Estimator, Predictions, Simulation};
    ///
    /// let setting = Simulation::named("binary-overconfident")?;
    /// let raw = setting.draw(2_000, 0)?;
    /// let right: Vec<f64> = raw.probs().rows().into_iter().map(|f| setting.truth(f)[1]).collect();
    /// let right = Predictions::binary(right, raw.labels())?;
    /// let comparison = Estimator::new().compare(&[("raw", &raw), ("right", &right)])?;
    /// let board = comparison.leaderboard("l1").unwrap();
    /// assert_eq!((board.places[0].model, board.places[0].rank), (1, (1, 1)));
    /// assert_eq!((board.places[1].model, board.places[1].rank), (0, (2, 2)));
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn leaderboard(&self, metric: &str) -> Option<Leaderboard> {
        let found: Vec<f64> = self
            .reports
            .iter()
            .map(|report| report.get(metric).map(|one| one.value))
            .collect::<Option<_>>()?;
        let confidence = self.reports.first().map_or(0.95, |report| report.confidence);
        // In whom more error is shown to be found than in whom.
        let clear: Vec<(usize, usize)> =
            self.differences
                .iter()
                .filter(|one| one.metric == metric && one.is_clear(confidence))
                .map(|one| {
                    if one.value > 0.0 { (one.first, one.second) } else { (one.second, one.first) }
                })
                .collect();
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by(|&a, &b| found[a].total_cmp(&found[b]));
        let groups = groups(&order, &clear).unwrap_or_default();
        let places = order.iter().map(|&model| {
            let ahead = clear.iter().filter(|(more, _)| *more == model).count();
            let behind = clear.iter().filter(|(_, less)| *less == model).count();
            let own = (0..groups.len()).filter(|&group| groups[group].contains(&model));
            Place { model, rank: (1 + ahead, order.len() - behind), groups: own.collect() }
        });
        Some(Leaderboard { metric: metric.to_owned(), places: places.collect() })
    }

    /// The leaderboards of all metrics.
    pub fn leaderboards(&self) -> Vec<Leaderboard> {
        let metrics = self.reports.first().into_iter().flat_map(|report| &report.estimates);
        metrics.filter_map(|one| self.leaderboard(&one.metric)).collect()
    }
}

impl Leaderboard {
    /// What a group is called: a, b, …, z, a1, b1, …
    ///
    /// ```
    /// assert_eq!([0, 25, 26].map(calipers::Leaderboard::letter), ["a", "z", "a1"]);
    /// ```
    pub fn letter(group: usize) -> String {
        let letter = char::from(b'a' + (group % 26) as u8);
        if group < 26 { letter.to_string() } else { format!("{letter}{}", group / 26) }
    }

    /// Whether there are groups: there are none where there would be more than 26.
    pub fn is_grouped(&self) -> bool {
        self.places.iter().any(|place| !place.groups.is_empty())
    }

    /// The places as JSON, given the comparison that they are of.
    pub fn to_json(&self, of: &Comparison) -> Value {
        let places = self.places.iter().map(|place| {
            let own =
                of.reports.get(place.model).and_then(|report: &Report| report.get(&self.metric));
            json!({
                "model": of.models.get(place.model),
                "rank": [place.rank.0, place.rank.1],
                "groups": place.groups.iter().map(|&group| Self::letter(group)).collect::<Vec<_>>(),
                "value": own.map(|one| number(one.value)),
                "stderr": own.map(|one| number(one.stderr)),
                "lower": own.map(|one| number(one.lower)),
                "p_value": own.and_then(|one| one.p_value),
            })
        });
        places.collect()
    }
}

/// The largest sets of models of which no two are told apart; none where there are more than
/// [`MOST_GROUPS`]. They grow model by model: a group takes the next model in, or stays as it is beside those
/// of its models that are not told apart from the next. No step loses a group, so that one too many now is
/// one too many at the end.
fn groups(order: &[usize], clear: &[(usize, usize)]) -> Option<Vec<Vec<usize>>> {
    let clear: HashSet<(usize, usize)> = clear.iter().copied().collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &next in order {
        let alike = |one: &usize| !clear.contains(&(*one, next)) && !clear.contains(&(next, *one));
        let mut with: Vec<Vec<usize>> =
            groups.iter().map(|group| group.iter().copied().filter(alike).collect()).collect();
        if groups.is_empty() {
            with.push(Vec::new());
        }
        groups.retain(|group| !group.iter().all(alike));
        // The larger ones first, so that each is held against all that may hold it.
        with.sort_by_key(|group| std::cmp::Reverse(group.len()));
        let mut largest: Vec<Vec<usize>> = Vec::new();
        for group in with {
            if !largest.iter().any(|other| group.iter().all(|model| other.contains(model))) {
                largest.push(group);
            }
        }
        groups.extend(largest.into_iter().map(|mut group| {
            group.push(next);
            group
        }));
        if groups.len() > MOST_GROUPS {
            return None;
        }
    }
    let place = |model: &usize| order.iter().position(|one| one == model);
    groups.sort_by_key(|group| group.iter().map(place).collect::<Vec<_>>());
    Some(groups)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_model_between_two_is_in_both_groups() {
        assert_eq!(groups(&[2, 0, 1], &[(1, 2)]), Some(vec![vec![2, 0], vec![0, 1]]));
        assert_eq!(groups(&[0, 1], &[]), Some(vec![vec![0, 1]]));
        assert_eq!(groups(&[0, 1], &[(1, 0)]), Some(vec![vec![0], vec![1]]));
    }

    /// So many pairs, of which each is told apart and nothing else: a group takes one of each pair.
    #[test]
    fn groups_without_end_are_left_out() {
        let found = |pairs: usize| {
            let order: Vec<usize> = (0..2 * pairs).collect();
            let clear: Vec<(usize, usize)> = (0..pairs).map(|at| (2 * at, 2 * at + 1)).collect();
            groups(&order, &clear).map(|groups| groups.len())
        };
        assert_eq!([found(4), found(5), found(500)], [Some(16), None, None]);
        let all: Vec<usize> = (0..MOST_GROUPS).collect();
        let clear: Vec<(usize, usize)> =
            all.iter().flat_map(|&a| (0..a).map(move |b| (a, b))).collect();
        assert_eq!(groups(&all, &clear).map(|groups| groups.len()), Some(MOST_GROUPS));
    }

    proptest! {
        /// Against the definition: two models share a group exactly if they are not told apart, and no group
        /// lies within another.
        #[test]
        fn groups_say_who_is_told_apart(pairs in prop::collection::vec((0_usize..7, 0_usize..7), 0..12)) {
            let mut clear: Vec<(usize, usize)> = pairs.into_iter().filter(|(a, b)| a > b).collect();
            clear.sort_unstable();
            clear.dedup();
            let order: Vec<usize> = (0..7).collect();
            let found = groups(&order, &clear).unwrap();
            for a in 0..7 {
                for b in 0..a {
                    let share = found.iter().any(|group| group.contains(&a) && group.contains(&b));
                    prop_assert_eq!(share, !clear.contains(&(a, b)), "{} {} {:?}", a, b, found);
                }
            }
            for (at, group) in found.iter().enumerate() {
                let within = |other: &Vec<usize>| group.iter().all(|one| other.contains(one));
                let held = found.iter().enumerate().any(|(other, found)| other != at && within(found));
                prop_assert!(!held, "{:?}", found);
            }
        }
    }
}
