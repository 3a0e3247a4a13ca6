//! Groups of tasks, such as `mmlu`: what `--tasks` of the harness takes, and `group_subtasks` of its results lists.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// What each group is of: tasks, and other groups.
#[derive(Debug, Default)]
pub struct Groups(BTreeMap<String, BTreeSet<String>>);

impl Groups {
    /// Adds the groups of one run.
    pub fn add(&mut self, listed: &Value) {
        for (group, members) in listed.as_object().into_iter().flatten() {
            let members = members.as_array().into_iter().flatten().filter_map(Value::as_str);
            self.0.entry(group.clone()).or_default().extend(members.map(str::to_owned));
        }
    }

    /// The tasks that are asked for, with those of a group in its place. What is a task itself is no group; and a
    /// group of which no task is there stays, to be named as lost.
    pub fn unfolded(&self, asked: &[String], there: &BTreeSet<&str>) -> Vec<String> {
        let mut all = Vec::new();
        for name in asked {
            let mut members = BTreeSet::new();
            if !there.contains(name.as_str()) {
                self.collect(name, &mut BTreeSet::new(), &mut members);
            }
            members.retain(|task| there.contains(task));
            match members.is_empty() {
                true => all.push(name.clone()),
                false => all.extend(members.into_iter().map(str::to_owned)),
            }
        }
        all
    }

    /// All members of a group, and of the groups within it, each of which is looked into once.
    fn collect<'a>(
        &'a self,
        group: &'a str,
        seen: &mut BTreeSet<&'a str>,
        found: &mut BTreeSet<&'a str>,
    ) {
        if !seen.insert(group) {
            return;
        }
        for member in self.0.get(group).into_iter().flatten() {
            found.insert(member);
            self.collect(member, seen, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn groups_are_their_tasks_and_circles_end() {
        let mut groups = Groups::default();
        groups.add(&json!({ "mmlu": ["stem", "law"], "stem": ["algebra", "mmlu"], "arc": [] }));
        groups.add(&json!({ "stem": ["physics"], "odd": 1 }));
        let there = BTreeSet::from(["algebra", "arc", "physics", "law"]);
        let of = |name: &str| groups.unfolded(&[name.to_owned()], &there);
        assert_eq!(of("mmlu"), ["algebra", "law", "physics"]);
        assert_eq!(of("stem"), ["algebra", "law", "physics"]);
        assert_eq!((of("arc"), of("odd")), (vec!["arc".to_owned()], vec!["odd".to_owned()]));
    }
}
