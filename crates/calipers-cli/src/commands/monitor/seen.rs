//! What was seen of which file: rows count once, however the file's path is spelt.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use calipers::Predictions;
use calipers::words::thousands;
use calipers_draw::text::count;
use calipers_files::words::file_name;
use calipers_files::{is_pipe, is_url};
use serde_json::{Value, json};

use crate::error::{Failure, Result};

/// How many rows of each file were seen, and a number of them.
#[derive(Default)]
pub struct Seen(BTreeMap<String, (usize, u64)>);

/// Where a file is, whatever leads to it: its folder, or what a link points to, may not be there yet.
pub fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let whole = || {
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    };
    fs::canonicalize(path).ok().or_else(whole).unwrap_or_else(|| path.to_owned())
}

/// What the state calls a file: the way to it from the state's folder, so that both can be moved
/// together. What comes through a pipe has no name: it is always new.
pub fn key(file: &Path, state: &Path) -> Option<String> {
    if is_url(file) {
        return Some(spelt(file));
    }
    let kind = file.metadata().ok()?.file_type();
    (!is_pipe(file) && kind.is_file()).then(|| spelt(&relative(&place(file), state)))
}

/// The way from the folder of one file to another.
fn relative(file: &Path, from: &Path) -> PathBuf {
    let folder = from.parent().unwrap_or(Path::new(""));
    let shared =
        file.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    // Two drives have nothing in common, and no way leads from one to the other.
    if shared == 0 {
        return file.to_owned();
    }
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

/// A path as text that no other path has: what is no text is written as `%` and its bytes.
fn spelt(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace('%', "%25"));
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    text
}

impl Seen {
    /// What a state holds of it; none if it is damaged.
    pub fn from_json(json: &Value) -> Option<Self> {
        serde_json::from_value(json.clone()).ok().map(Self)
    }

    /// What a state will hold of it.
    pub fn to_json(&self) -> Value {
        json!(self.0)
    }

    /// How many of the rows were seen before: the first ones of this file, which must be the same. Those of
    /// another file must not be: they would count twice.
    pub fn before(
        &self,
        file: &Path,
        key: Option<&str>,
        all: Option<&Predictions<'_>>,
    ) -> Result<usize> {
        let Some(key) = key else { return Ok(0) };
        let begins = |(rows, number): (usize, u64)| match all {
            Some(all) => all.rows() >= rows && fingerprint(all, rows) == number,
            None => rows == 0,
        };
        let name = file_name(file);
        if let Some(&(rows, number)) = self.0.get(key) {
            return match begins((rows, number)) {
                true => Ok(rows),
                false => Err(Failure::input(format!(
                    "{name}: its first {} rows are not those that were seen",
                    thousands(rows)
                ))
                .hint("new rows are added at the end, or come in a file of another name")),
            };
        }
        let other = self.0.iter().find(|(_, seen)| seen.0 > 0 && begins(**seen));
        match other {
            None => Ok(0),
            Some((other, (rows, _))) => Err(Failure::input(format!(
                "{name}: it begins with the {} that were seen in {other}",
                count(*rows, "row")
            ))
            .hint(format!(
                "they would count twice; rows that are new all the same come by standard input: - < {name}"
            ))),
        }
    }

    /// All rows of a file were seen.
    pub fn add(&mut self, key: Option<String>, all: &Predictions<'_>) {
        let entry = (all.rows(), fingerprint(all, all.rows()));
        self.0.extend(key.map(|key| (key, entry)));
    }
}

/// A number of the first rows: other rows have another one (FNV-1a of every bit).
fn fingerprint(predictions: &Predictions<'_>, rows: usize) -> u64 {
    let mut number: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bits: u64| {
        for byte in bits.to_le_bytes() {
            number = (number ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    let probs = predictions.probs();
    for (row, label) in probs.rows().into_iter().zip(predictions.labels()).take(rows) {
        row.iter().for_each(|value| add(value.to_bits()));
        add((*label).into());
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_from_one_file_to_another() {
        for (file, from, way) in [
            ("/a/b/log.csv", "/a/b/state.json", "log.csv"),
            ("/a/b/log.csv", "/a/c/d/state.json", "../../b/log.csv"),
            ("/log.csv", "/a/state.json", "../log.csv"),
        ] {
            assert_eq!(relative(Path::new(file), Path::new(from)), Path::new(way));
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_stay_apart() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let spelt = |bytes: &[u8]| spelt(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(spelt("d\u{e9}j\u{e0} vu.csv".as_bytes()), "d\u{e9}j\u{e0} vu.csv");
        let odd = [&b"a\xff.csv"[..], b"a\xfe.csv", b"a%FF.csv"].map(spelt);
        assert_eq!(odd, ["a%FF.csv", "a%FE.csv", "a%25FF.csv"]);
    }
}
