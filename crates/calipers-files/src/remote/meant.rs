//! Which objects a URL means.

use std::path::Path;
use std::sync::Arc;

use glob::Pattern;

use super::fault::refused;
use super::object::Object;
use super::store::Store;
use crate::error::{Error, Result};
use crate::formats::Format;
use crate::names::{OPTIONS, WILDCARDS, is_passed_over, is_readable};
use crate::words::file_name;

/// The objects that a URL means, by the rules for files: one, those below a prefix that ends in a slash,
/// or those that match; in the order that their paths would have in a folder.
///
/// # Errors
/// Nothing is there, or nothing that can be read.
pub fn meant(store: &Arc<Store>, url: &str, key: &str) -> Result<Vec<Object>> {
    let first = key.find(WILDCARDS);
    if first.is_none() && !url.ends_with('/') {
        return Ok(vec![Object::find(store, url, key)?]);
    }
    let plain = &key[..first.unwrap_or(key.len())];
    let folder = plain.rfind('/').map_or("", |at| &key[..=at]);
    let mut found = Object::list(store, url, folder)?;
    let nothing = match first {
        None => {
            found.retain(|object| is_below(object.key(), folder));
            format!("no object below it ends in {}", Format::endings("or"))
        }
        // What is there is taken as it is called, whatever letters are in its name.
        Some(_) if found.iter().any(|object| object.key() == key) => {
            found.retain(|object| object.key() == key);
            String::new()
        }
        Some(_) => {
            let pattern = Pattern::new(key.trim_end_matches('/'))
                .map_err(|error| refused(url, &format!("it is no pattern: {}", error.msg)))?;
            found.retain(|object| is_match(object.key(), &pattern));
            "no object matches".to_owned()
        }
    };
    if found.is_empty() {
        return Err(Error::input(format!("{}: {nothing}", file_name(url.as_ref()))));
    }
    found.sort_by_cached_key(Object::url);
    Ok(found)
}

/// Whether a key is that of a file in a folder, which can be read and is not passed over; nor is a folder
/// that it is in.
fn is_below(key: &str, folder: &str) -> bool {
    let Some(rest) = key.strip_prefix(folder) else { return false };
    is_readable(Path::new(rest)) && !rest.split('/').any(|name| is_passed_over(Path::new(name)))
}

/// Whether a key matches, or a folder that it is in.
fn is_match(key: &str, pattern: &Pattern) -> bool {
    let matches = |name: &str| pattern.matches_with(name, OPTIONS);
    let asked_for = is_passed_over(Path::new(pattern.as_str()));
    let mut folders = key.match_indices('/').map(|(at, _)| key.split_at(at + 1).0);
    (matches(key) && (asked_for || !is_passed_over(Path::new(key))))
        || folders.any(|folder| matches(folder.trim_end_matches('/')) && is_below(key, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, key: &str) -> bool {
        is_match(key, &Pattern::new(pattern).unwrap())
    }

    #[test]
    fn a_prefix_has_the_files_that_a_folder_has() {
        for key in ["day=1/part-0.csv", "day=1/deep/a.parquet", "day=1/a.csv.gz"] {
            assert!(is_below(key, "day=1/") && is_below(key, ""), "{key}");
        }
        for key in ["day=1/_SUCCESS", "day=1/.a.csv", "_temporary/a.csv", "day=1/a.md", "day=1/a"] {
            assert!(!is_below(key, ""), "{key}");
        }
        assert!(!is_below("day=10/a.csv", "day=1/"));
        // What the prefix itself is called does not matter.
        assert!(is_below("_old/a.csv", "_old/"));
    }

    #[test]
    fn a_pattern_matches_what_it_matches_in_a_folder() {
        assert!(matches("day=*/part-*.csv", "day=1/part-0.csv"));
        assert!(matches("**/part-[0].csv", "day=1/part-0.csv"));
        assert!(matches("**/part-?.csv", "part-0.csv"));
        // A star stands for no slash, but a folder that matches is taken as a whole.
        assert!(!matches("part-*.csv", "part-0/a.tsv"));
        assert!(matches("day=*", "day=1/deep/part-0.csv"));
        assert!(!matches("day=*", "day=1/_temporary/part-0.csv"));
        assert!(!matches("day=1/*", "day=1/_SUCCESS"));
        assert!(matches("day=1/_*.csv", "day=1/_a.csv"));
        assert!(!matches("day=1/*.csv", "day=1/.a.csv"));
    }
}
