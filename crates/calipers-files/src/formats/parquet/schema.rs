//! The tree of columns in a Parquet file's footer, looked at before the library builds it: it would
//! make room for as many children as a node says, and call itself as deep as the tree goes.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::thrift::{Compact, WireType};

/// Columns within columns. Each costs the library a call within a call.
const DEEPEST: usize = 100;

/// Whether the tree can be built. What cannot be read is fine here: the library says why it cannot.
pub fn is_sound(file: &File, size: u64) -> io::Result<bool> {
    let Some(footer) = footer(file, size)? else { return Ok(true) };
    let mut children = Vec::new();
    let read = Compact::new(footer.as_slice()).fields(|compact, number, kind| {
        if number != 2 || kind != WireType::LIST {
            return Ok(false);
        }
        let (_, count) = compact.list()?;
        for _ in 0..count {
            children.push(node(compact)?);
        }
        Ok(true)
    });
    Ok(read.is_err() || is_tree(&children))
}

/// The bytes between the columns and the last eight, which say how many they are.
fn footer(mut file: &File, size: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(end) = size.checked_sub(8) else { return Ok(None) };
    file.seek(SeekFrom::Start(end))?;
    let mut tail = [0; 8];
    file.read_exact(&mut tail)?;
    let [a, b, c, d, ..] = tail;
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    let Some(start) = end.checked_sub(length) else { return Ok(None) };
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// How many children a node of the schema has.
fn node<R: Read>(compact: &mut Compact<R>) -> io::Result<i64> {
    let mut children = 0;
    compact.fields(|compact, number, _| {
        if number == 5 {
            children = compact.integer()?;
        }
        Ok(number == 5)
    })?;
    Ok(children)
}

/// Whether nodes, each before its children, are a tree that is not too deep.
fn is_tree(children: &[i64]) -> bool {
    // How many nodes are still to come on each level.
    let mut open: Vec<i64> = Vec::new();
    for (at, &count) in children.iter().enumerate() {
        let to_come = (children.len() - at - 1) as i64;
        if !(0..=to_come).contains(&count) {
            return false;
        }
        if let Some(last) = open.last_mut() {
            *last -= 1;
        }
        open.push(count);
        while open.last() == Some(&0) {
            open.pop();
        }
        if open.len() > DEEPEST {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_neither_deep_nor_larger_than_their_nodes() {
        assert!(is_tree(&[]));
        assert!(is_tree(&[3, 0, 2, 0, 0, 0]));
        assert!(!is_tree(&[3, 0, -1, 0, 0, 0]));
        assert!(!is_tree(&[1 << 31, 0, 0]));
        assert!(is_tree(&[&[1; DEEPEST][..], &[0]].concat()));
        assert!(!is_tree(&[&[1; DEEPEST + 1][..], &[0]].concat()));
    }
}
