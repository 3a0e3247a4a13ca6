//! Arrays in: numbers of any type as doubles, strings as text.

use std::io::{self, BufReader, Read};

use half::f16;
use ndarray::{Array2, ShapeBuilder};

use super::fault::Fault;
use super::header::Header;
use crate::allowance::{Allowance, CELL};
use crate::table::{Text, Values};

/// Reads an array; what is of no use is described.
pub fn read(mut reader: impl Read, allowance: &mut Allowance) -> Result<Values, Fault> {
    let header = Header::read(&mut reader)?;
    let Some(element) = Element::parse(&header.described) else {
        return Ok(Values::Other(match header.described.trim_matches(['\'', '"']) {
            "|O" | "O" => "an array of Python objects: save it with astype(str)".to_owned(),
            _ => format!("an array of type {}", header.described),
        }));
    };
    let elements = promised(&header, &element, allowance)?;
    Ok(match element.convert {
        Convert::Number(convert) => {
            // As many as a file of this size can hold if it is not compressed: making room step by step
            // would copy the numbers each time.
            let there =
                usize::try_from(allowance.size()).unwrap_or(usize::MAX) / element.size.max(1);
            let room = Vec::with_capacity(elements.min(there));
            let numbers = elements_of(
                reader,
                element.size,
                elements,
                room,
                |numbers: &mut Vec<f64>, bytes| {
                    if element.big_endian {
                        bytes.reverse();
                    }
                    let mut wide = [0; 8];
                    wide[..bytes.len()].copy_from_slice(bytes);
                    numbers.push(convert(wide));
                },
            )?;
            number_values(numbers, &header)
        }
        Convert::Word(convert) => {
            let add =
                |text: &mut Text, bytes: &mut [u8]| text.push(&convert(bytes, element.big_endian));
            let words = elements_of(reader, element.size, elements, Text::default(), add)?;
            if header.shape.len() == 1 { Values::Text(words) } else { unusable(&header.shape) }
        }
    })
}

/// The number of elements, if they are not too many to be made.
fn promised(header: &Header, element: &Element, allowance: &mut Allowance) -> Result<usize, Fault> {
    let what = format!("an array of shape {:?} and type {}", header.shape, header.described);
    let elements = header.elements().map_or(u128::MAX, |count| count as u128);
    let each = (element.size as u128).max(CELL.into());
    let bytes = elements.saturating_mul(each);
    allowance.promised(bytes, &what)?;
    allowance.spend(u64::try_from(bytes).unwrap_or(u64::MAX))?;
    Ok(header.elements().unwrap_or(usize::MAX))
}

/// Reads elements of `size` bytes, and no byte more.
///
/// Not even a count that is allowed is trusted with an allocation: the bytes may not be there.
fn elements_of<T>(
    reader: impl Read,
    size: usize,
    count: usize,
    mut made: T,
    mut add: impl FnMut(&mut T, &mut [u8]),
) -> Result<T, Fault> {
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    let mut bytes = vec![0; if count == 0 { 0 } else { size }];
    for at in 0..count {
        reader.read_exact(&mut bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                Fault::Damaged(format!("it ends after {at} of {count} elements"))
            }
            _ => Fault::Io(error),
        })?;
        add(&mut made, &mut bytes);
    }
    match reader.read(&mut [0])? {
        0 => Ok(made),
        _ => Err(Fault::Damaged(format!("it does not end after its {count} elements"))),
    }
}

fn number_values(numbers: Vec<f64>, header: &Header) -> Values {
    match *header.shape.as_slice() {
        // A single column is read as such, whichever way round it was saved.
        [_] | [_, 1] => Values::Numbers(numbers),
        [rows, columns] => Array2::from_shape_vec((rows, columns).set_f(header.fortran), numbers)
            .map_or_else(|_| unusable(&header.shape), Values::Matrix),
        _ => unusable(&header.shape),
    }
}

fn unusable(shape: &[usize]) -> Values {
    Values::Other(format!("an array of shape {shape:?}"))
}

/// A type of elements, such as `'<f4'`: byte order, kind and size.
struct Element {
    big_endian: bool,
    /// Bytes an element.
    size: usize,
    convert: Convert,
}

/// What makes a value of an element's bytes.
enum Convert {
    /// Of the bytes, smallest first and padded with zeros to eight.
    Number(fn([u8; 8]) -> f64),
    /// Of the bytes, and whether the largest comes first.
    Word(fn(&[u8], bool) -> String),
}

impl Element {
    /// The type of this description, if it is one of numbers or strings.
    fn parse(described: &str) -> Option<Self> {
        let quoted = |quote| described.strip_prefix(quote)?.strip_suffix(quote);
        let mut letters = quoted('\'').or_else(|| quoted('"'))?.chars();
        let order = letters.next()?;
        let letter = letters.next()?;
        let size: usize = letters.as_str().parse().ok()?;
        let (size, convert) = match letter {
            // U counts letters of four bytes, S counts bytes.
            'U' => (size.checked_mul(4)?, Convert::Word(wide_word)),
            'S' => (size, Convert::Word(narrow_word)),
            _ => (size, Convert::Number(converter(letter, size)?)),
        };
        Some(Self { big_endian: order == '>', size, convert })
    }
}

/// What makes a double of the bytes of a number.
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

/// A string of UTF-32; zero ends it.
fn wide_word(bytes: &[u8], big_endian: bool) -> String {
    let letter = |letter: &[u8]| {
        let letter: [u8; 4] = letter.try_into().ok()?;
        let code = if big_endian { u32::from_be_bytes(letter) } else { u32::from_le_bytes(letter) };
        (code != 0).then(|| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    };
    bytes.chunks_exact(4).map_while(letter).collect()
}

/// A string of bytes, padded with zeros.
fn narrow_word(bytes: &[u8], _: bool) -> String {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests;
