//! Columns in the names of folders, as Hive, Spark and their kin write them.

use std::path::{Component, Path};

/// What a folder is called whose rows have no value.
const MISSING: &str = "__HIVE_DEFAULT_PARTITION__";

/// The columns that the folders of a path name, with the value that each row has there; a missing one
/// is empty.
pub fn partitions(path: &Path) -> Vec<(String, String)> {
    let folders = path.parent().into_iter().flat_map(Path::components);
    let column = |folder: Component<'_>| {
        let Component::Normal(folder) = folder else { return None };
        let folder = folder.to_string_lossy();
        let (name, value) = folder.split_once('=').filter(|(name, _)| !name.is_empty())?;
        let value = if value == MISSING { String::new() } else { decoded(value) };
        Some((decoded(name), value))
    };
    folders.filter_map(column).collect()
}

/// The text in which `%2F` is a slash; what is no such code stays as it is.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut letters = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| byte == b'%').and_then(|code| {
            let code = std::str::from_utf8(code).ok()?;
            // A sign is no digit, though a number may have one.
            let digits = code.bytes().all(|digit| digit.is_ascii_hexdigit());
            u8::from_str_radix(code, 16).ok().filter(|_| digits)
        });
        letters.push(code.unwrap_or(byte));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&letters).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_columns() {
        let found = partitions(Path::new("data/site=north%2Fwest/day=3/x=1.parquet"));
        assert_eq!(
            found,
            [("site", "north/west"), ("day", "3")].map(|(a, b)| (a.into(), b.into()))
        );
        let found = partitions(Path::new("a=__HIVE_DEFAULT_PARTITION__/=b/c=/d==e/f.csv"));
        let expected = [("a", ""), ("c", ""), ("d", "=e")];
        assert_eq!(found, expected.map(|(a, b)| (a.into(), b.into())));
        assert_eq!(partitions(Path::new("part.csv")), []);
    }

    #[test]
    fn codes_are_letters_and_anything_else_is_itself() {
        for (text, letters) in
            [("%20%C3%A4", " ä"), ("100%", "100%"), ("%2", "%2"), ("%+1", "%+1"), ("%é", "%é")]
        {
            assert_eq!(decoded(text), letters);
        }
    }
}
