//! What tells directories apart: the parts of their paths in which they differ.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, PathBuf};

/// A short name for each of several directories: without what all have before and behind.
///
/// `runs/fp16/org__m` and `runs/int4/org__m` are `fp16` and `int4`. What all have behind stays where one of them
/// is nothing else.
pub fn labels(folders: &BTreeSet<PathBuf>) -> BTreeMap<PathBuf, String> {
    let parts: Vec<Vec<Component<'_>>> =
        folders.iter().map(|folder| folder.components().collect()).collect();
    let shortest = parts.iter().map(Vec::len).min().unwrap_or(0);
    let before = common(&parts, shortest, |own, at| own.get(at));
    let behind = common(&parts, shortest - before, |own, at| own.iter().rev().nth(at));
    let behind = if before + behind < shortest { behind } else { 0 };
    let label = |own: &Vec<Component<'_>>| {
        let differs = own.iter().take(own.len() - behind).skip(before);
        let words: Vec<_> = differs.map(|part| part.as_os_str().to_string_lossy()).collect();
        // The directory that the others are in.
        if words.is_empty() { ".".to_owned() } else { words.join("/") }
    };
    folders.iter().cloned().zip(parts.iter().map(label)).collect()
}

/// How many parts all have in common, of at most `most`.
fn common<'a>(
    all: &'a [Vec<Component<'a>>],
    most: usize,
    part: impl Fn(&'a Vec<Component<'a>>, usize) -> Option<&'a Component<'a>>,
) -> usize {
    let same = |at: &usize| {
        all.windows(2).all(|two| match two {
            [one, other] => part(one, *at) == part(other, *at),
            _ => true,
        })
    };
    (0..most).take_while(same).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(folders: &[&str]) -> Vec<String> {
        labels(&folders.iter().map(PathBuf::from).collect()).into_values().collect()
    }

    #[test]
    fn directories_are_told_apart_by_what_differs() {
        assert_eq!(of(&["/runs/fp16/org__m", "/runs/int4/org__m"]), ["fp16", "int4"]);
        assert_eq!(of(&["/runs/a/x/m", "/runs/b/x/m", "/runs/b/m"]), ["a/x", "b", "b/x"]);
        assert_eq!(of(&["/runs/m", "/runs/old/m"]), ["m", "old/m"]);
        assert_eq!(of(&["/runs", "/runs/m"]), [".", "m"]);
    }
}
