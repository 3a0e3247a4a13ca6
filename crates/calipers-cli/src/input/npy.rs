//! The elements of NumPy's arrays: any type of number as a double, any string as text.

use std::io::{self, Read};

use half::f16;
use ndarray_npy::{ReadDataError, ReadableElement};
use py_literal::Value;

/// A number of any of NumPy's types.
#[derive(Debug, Clone, Copy, Default)]
pub struct Number(pub f64);

/// A string of fixed length, padded with zeros in the file.
#[derive(Debug, Clone, Default)]
pub struct Word(pub String);

/// NumPy's description of a type, such as `<f4`: byte order, kind and size.
struct Kind {
    big_endian: bool,
    letter: char,
    size: usize,
}

impl Kind {
    fn parse(described: &Value) -> Result<Self, ReadDataError> {
        let wrong = || ReadDataError::WrongDescriptor(described.clone());
        let text = described.as_string().ok_or_else(wrong)?;
        let mut letters = text.chars();
        let order = letters.next().ok_or_else(wrong)?;
        let letter = letters.next().ok_or_else(wrong)?;
        let size = letters.as_str().parse().map_err(|_| wrong())?;
        Ok(Self { big_endian: order == '>', letter, size })
    }
}

/// Reads `count` elements of `size` bytes, and no byte more.
///
/// The header's count is not trusted with an allocation: a damaged one may be anything.
fn read_elements<T>(
    reader: impl Read,
    size: usize,
    count: usize,
    mut convert: impl FnMut(&mut [u8]) -> T,
) -> Result<Vec<T>, ReadDataError> {
    let mut reader = io::BufReader::with_capacity(1 << 16, reader);
    let mut bytes = vec![0; size];
    let mut elements = Vec::with_capacity(count.min(1 << 20));
    for _ in 0..count {
        reader.read_exact(&mut bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => ReadDataError::MissingData,
            _ => ReadDataError::Io(error),
        })?;
        elements.push(convert(&mut bytes));
    }
    match reader.read(&mut [0])? {
        0 => Ok(elements),
        extra => Err(ReadDataError::ExtraBytes(extra)),
    }
}

impl ReadableElement for Number {
    fn read_to_end_exact_vec<R: Read>(
        reader: R,
        described: &Value,
        count: usize,
    ) -> Result<Vec<Self>, ReadDataError> {
        let kind = Kind::parse(described)?;
        let convert = converter(kind.letter, kind.size)
            .ok_or_else(|| ReadDataError::WrongDescriptor(described.clone()))?;
        read_elements(reader, kind.size, count, |bytes| {
            if kind.big_endian {
                bytes.reverse();
            }
            let mut wide = [0; 8];
            wide[..bytes.len()].copy_from_slice(bytes);
            Number(convert(wide))
        })
    }
}

/// What makes a double of the bytes, smallest first and padded with zeros to eight.
fn converter(letter: char, size: usize) -> Option<fn([u8; 8]) -> f64> {
    Some(match (letter, size) {
        ('f', 8) => f64::from_le_bytes,
        ('f', 4) => |bytes| f64::from(f32::from_bits(u64::from_le_bytes(bytes) as u32)),
        ('f', 2) => |bytes| f16::from_bits(u64::from_le_bytes(bytes) as u16).to_f64(),
        ('b', 1) | ('u', 1 | 2 | 4 | 8) => |bytes| u64::from_le_bytes(bytes) as f64,
        ('i', 1) => |bytes| f64::from(u64::from_le_bytes(bytes) as i8),
        ('i', 2) => |bytes| f64::from(u64::from_le_bytes(bytes) as i16),
        ('i', 4) => |bytes| f64::from(u64::from_le_bytes(bytes) as i32),
        ('i', 8) => |bytes| i64::from_le_bytes(bytes) as f64,
        _ => return None,
    })
}

impl ReadableElement for Word {
    fn read_to_end_exact_vec<R: Read>(
        reader: R,
        described: &Value,
        count: usize,
    ) -> Result<Vec<Self>, ReadDataError> {
        let kind = Kind::parse(described)?;
        let big_endian = kind.big_endian;
        // U counts letters of four bytes, S counts bytes.
        match kind.letter {
            'U' => read_elements(reader, kind.size.saturating_mul(4), count, |bytes| {
                Word(
                    bytes
                        .chunks_exact(4)
                        .map_while(|letter| letter_of(letter, big_endian))
                        .collect(),
                )
            }),
            'S' => read_elements(reader, kind.size, count, |bytes| {
                let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                Word(String::from_utf8_lossy(&bytes[..end]).into_owned())
            }),
            _ => Err(ReadDataError::WrongDescriptor(described.clone())),
        }
    }
}

/// A letter of UTF-32; zero ends the string.
fn letter_of(bytes: &[u8], big_endian: bool) -> Option<char> {
    let bytes: [u8; 4] = bytes.try_into().ok()?;
    let code = if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
    (code != 0).then(|| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(described: &str, bytes: &[u8], count: usize) -> Result<Vec<f64>, ReadDataError> {
        let described = Value::String(described.to_owned());
        let numbers = Number::read_to_end_exact_vec(bytes, &described, count)?;
        Ok(numbers.into_iter().map(|number| number.0).collect())
    }

    #[test]
    fn every_type_of_number_is_read() {
        for (described, bytes, value) in [
            ("<f8", (-1.5f64).to_le_bytes().as_slice(), -1.5),
            (">f8", &(-1.5f64).to_be_bytes(), -1.5),
            ("<f4", &0.25f32.to_le_bytes(), 0.25),
            (">f4", &0.25f32.to_be_bytes(), 0.25),
            ("<f2", &f16::from_f64(0.75).to_le_bytes(), 0.75),
            ("|b1", &[1], 1.0),
            ("|i1", &[0xff], -1.0),
            ("|u1", &[0xff], 255.0),
            ("<i2", &(-300i16).to_le_bytes(), -300.0),
            (">i4", &(-70_000i32).to_be_bytes(), -70_000.0),
            ("<i8", &(-5i64).to_le_bytes(), -5.0),
            ("<u8", &7u64.to_le_bytes(), 7.0),
        ] {
            assert_eq!(numbers(described, bytes, 1).unwrap(), [value], "{described}");
        }
    }

    #[test]
    fn other_types_and_lengths_are_refused() {
        assert!(matches!(numbers("<U3", &[], 0), Err(ReadDataError::WrongDescriptor(_))));
        assert!(matches!(numbers("|O", &[], 0), Err(ReadDataError::WrongDescriptor(_))));
        assert!(matches!(numbers("|u1", &[1], 2), Err(ReadDataError::MissingData)));
        assert!(matches!(numbers("|u1", &[1, 2], 1), Err(ReadDataError::ExtraBytes(_))));
        assert!(matches!(numbers("|u1", &[1], usize::MAX), Err(ReadDataError::MissingData)));
    }

    #[test]
    fn strings_end_at_their_zeros() {
        let wide: Vec<u8> = ['ä', 'b', '\0', 'c', '\0', '\0']
            .iter()
            .flat_map(|&c| u32::from(c).to_le_bytes())
            .collect();
        let read = |described: &str, bytes: &[u8]| -> Vec<String> {
            let described = Value::String(described.to_owned());
            let words = Word::read_to_end_exact_vec(bytes, &described, 2).unwrap();
            words.into_iter().map(|word| word.0).collect()
        };
        assert_eq!(read("<U3", &wide), ["äb", "c"]);
        assert_eq!(read("|S2", b"a\0bc"), ["a", "bc"]);
    }
}
