//! The header of a NumPy array: its type, its order and its shape.
//!
//! It is a Python literal, `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }`. A parser
//! for all of Python's literals calls itself as deep as the brackets go, which a header of 64 KiB of
//! brackets turns into an exhausted stack; of this one dictionary there is no need for that.

use std::io::{self, Read};

use super::fault::Fault;

/// NumPy refuses headers of more than 10,000 letters; this one takes those that the first version of
/// the format can have.
const LONGEST: u64 = 1 << 16;

/// What a header says.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// The type as Python writes it, such as `'<f8'`, or a list for records.
    pub described: String,
    /// Whether the first index changes fastest.
    pub fortran: bool,
    /// The length along each axis.
    pub shape: Vec<usize>,
}

impl Header {
    /// Reads a header, and leaves the reader at the first element.
    pub fn read(reader: &mut impl Read) -> Result<Self, Fault> {
        let mut start = [0; 8];
        reader.read_exact(&mut start).map_err(too_short)?;
        if start[..6] != *b"\x93NUMPY" {
            return Err(Fault::Damaged("it does not start as an array does".to_owned()));
        }
        let length = match start[6] {
            1 => {
                let mut length = [0; 2];
                reader.read_exact(&mut length).map_err(too_short)?;
                u64::from(u16::from_le_bytes(length))
            }
            2 | 3 => {
                let mut length = [0; 4];
                reader.read_exact(&mut length).map_err(too_short)?;
                u64::from(u32::from_le_bytes(length))
            }
            other => {
                return Err(Fault::Damaged(format!("version {other} of the format is not known")));
            }
        };
        if length > LONGEST {
            return Err(Fault::Damaged(format!("its header would have {length} bytes")));
        }
        let mut bytes = Vec::new();
        reader.by_ref().take(length).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        parse(&text).ok_or_else(|| {
            Fault::Damaged(format!(
                "its header is {:?}",
                text.chars().take(100).collect::<String>()
            ))
        })
    }

    /// The number of elements, if it can be counted.
    pub fn elements(&self) -> Option<usize> {
        self.shape.iter().try_fold(1usize, |product, &length| product.checked_mul(length))
    }
}

fn too_short(error: io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Fault::Damaged("it ends within its header".to_owned()),
        _ => Fault::Io(error),
    }
}

fn parse(text: &str) -> Option<Header> {
    let mut rest = text.trim_start().strip_prefix('{')?;
    let (mut described, mut fortran, mut shape) = (None, None, None);
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('}') {
            let header = Header { described: described?, fortran: fortran?, shape: shape? };
            return after.trim().is_empty().then_some(header);
        }
        let (key, after) = value(rest)?;
        let (given, after) = value(after.trim_start().strip_prefix(':')?.trim_start())?;
        match key.trim_matches(['\'', '"']) {
            "descr" => described = Some(given.to_owned()),
            "fortran_order" => fortran = Some(truth(given)?),
            "shape" => shape = Some(lengths(given)?),
            _ => return None,
        }
        rest = after.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
}

/// The text of a value, up to the comma, colon or bracket that ends it, and what follows.
fn value(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0usize;
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if quote == Some(letter) => quote = None,
            _ if quote.is_some() => {}
            '\'' | '"' => quote = Some(letter),
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            ',' | ':' | '}' if depth == 0 => {
                let (value, rest) = text.split_at(at);
                return Some((value.trim_end(), rest));
            }
            _ => {}
        }
    }
    None
}

fn truth(text: &str) -> Option<bool> {
    match text {
        "True" => Some(true),
        "False" => Some(false),
        _ => None,
    }
}

/// `(3, 2)`, `(3,)` or `()`; Python 2 wrote an L behind long numbers.
fn lengths(text: &str) -> Option<Vec<usize>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?.trim();
    let inner = inner.strip_suffix(',').unwrap_or(inner);
    if inner.is_empty() {
        return Some(Vec::new());
    }
    inner.split(',').map(|length| length.trim().trim_end_matches('L').parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(described: &str, fortran: bool, shape: &[usize]) -> Option<Header> {
        Some(Header { described: described.to_owned(), fortran, shape: shape.to_vec() })
    }

    #[test]
    fn headers_of_every_shape_and_type_are_read() {
        for (text, expected) in [
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }   \n",
                header("'<f8'", false, &[3, 2]),
            ),
            (
                "{\"shape\":(7,),\"descr\":\"|S3\",\"fortran_order\":True}",
                header("\"|S3\"", true, &[7]),
            ),
            ("{'descr': '|O', 'fortran_order': False, 'shape': ()}", header("'|O'", false, &[])),
            (
                "{'descr': [('a', '<f8'), ('b, c', '<i4')], 'fortran_order': False, 'shape': (5L,)}",
                header("[('a', '<f8'), ('b, c', '<i4')]", false, &[5]),
            ),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "{",
            "{}",
            "{'descr': '<f8', 'fortran_order': False}",
            "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} more",
            &"(".repeat(1 << 16),
            &format!("{{'descr': {}, ", "[".repeat(1 << 16)),
        ] {
            assert_eq!(parse(text), None, "{text:.60}");
        }
    }

    #[test]
    fn headers_that_are_too_long_or_short_or_of_no_array() {
        let refused = |bytes: &[u8]| match Header::read(&mut &bytes[..]) {
            Err(Fault::Damaged(reason)) => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            refused(b"\x93NUMPY\x02\0\xff\xff\xff\xff{"),
            "its header would have 4294967295 bytes"
        );
        assert_eq!(refused(b"\x93NUMPY\x07\0\0\0"), "version 7 of the format is not known");
        assert_eq!(refused(b"\x93NUMPZ\x01\0\0\0"), "it does not start as an array does");
        assert_eq!(refused(b"\x93NUMPY\x01\0\x05\0{"), "its header is \"{\"");
        assert_eq!(refused(b"\x93NUM"), "it ends within its header");
    }

    #[test]
    fn shapes_that_cannot_be_counted_are_none() {
        let shape = |shape: &[usize]| header("'<f8'", false, shape).unwrap().elements();
        assert_eq!(shape(&[3, 4]), Some(12));
        assert_eq!(shape(&[]), Some(1));
        assert_eq!(shape(&[usize::MAX, 2]), None);
    }
}
