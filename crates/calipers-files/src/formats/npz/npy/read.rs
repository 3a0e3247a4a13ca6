//! Arrays in: numbers of any type as doubles, strings as text.

use std::io::{self, Read};

use half::f16;
use ndarray::{Array2, ShapeBuilder};

use super::fault::Fault;
use super::header::Header;
use crate::allowance::{Allowance, CELL};
use crate::table::{Text, Values};

/// Bytes that are read at a time.
const BLOCK: usize = 1 << 16;

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
            let add = |numbers: &mut Vec<f64>, block: &[u8]| {
                convert(block, element.big_endian, numbers);
            };
            let numbers = elements_of(reader, element.size, elements, room, add)?;
            number_values(numbers, &header)
        }
        Convert::Word(convert) => {
            let add = |text: &mut Text, block: &[u8]| {
                let words = block.chunks_exact(element.size.max(1));
                words.for_each(|word| text.push(&convert(word, element.big_endian)));
            };
            let mut words = elements_of(reader, element.size, elements, Text::default(), add)?;
            // Words without letters have no bytes to be made of.
            (0..if element.size == 0 { elements } else { 0 }).for_each(|_| words.push(""));
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

/// Reads elements of `size` bytes, and no byte more; hands over many of them at a time.
///
/// Not even a count that is allowed is trusted with an allocation: the bytes may not be there.
fn elements_of<T>(
    mut reader: impl Read,
    size: usize,
    count: usize,
    mut made: T,
    mut add: impl FnMut(&mut T, &[u8]),
) -> Result<T, Fault> {
    let together = (BLOCK / size.max(1)).max(1);
    let mut block = vec![0; together.min(count) * size];
    for first in (0..count).step_by(together) {
        let block = &mut block[..together.min(count - first) * size];
        let there = fill(&mut reader, block)?;
        if there < block.len() {
            let at = first + there / size;
            return Err(Fault::Damaged(format!("it ends after {at} of {count} elements")));
        }
        add(&mut made, block);
    }
    match reader.read(&mut [0])? {
        0 => Ok(made),
        _ => Err(Fault::Damaged(format!("it does not end after its {count} elements"))),
    }
}

/// Fills a block with bytes, or as much of it as there are; how many these were.
fn fill(reader: &mut impl Read, block: &mut [u8]) -> io::Result<usize> {
    let mut there = 0;
    while there < block.len() {
        match reader.read(&mut block[there..]) {
            Ok(0) => break,
            Ok(count) => there += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(there)
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

/// Appends doubles.
type Widen = fn(&[u8], bool, &mut Vec<f64>);

/// What makes values of the bytes of elements, given whether the largest byte of each comes first.
enum Convert {
    /// Of any number of elements.
    Number(Widen),
    /// Of one.
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

/// What makes doubles of the bytes of numbers.
fn converter(letter: char, size: usize) -> Option<Widen> {
    Some(match (letter, size) {
        ('f', 8) => |block, big, to| widen(block, big, to, f64::from_le_bytes),
        ('f', 4) => |block, big, to| widen(block, big, to, |b| f64::from(f32::from_le_bytes(b))),
        ('f', 2) => |block, big, to| widen(block, big, to, |b| f16::from_le_bytes(b).to_f64()),
        ('b' | 'u', 1) => |block, big, to| widen(block, big, to, |[b]| f64::from(b)),
        ('u', 2) => |block, big, to| widen(block, big, to, |b| f64::from(u16::from_le_bytes(b))),
        ('u', 4) => |block, big, to| widen(block, big, to, |b| f64::from(u32::from_le_bytes(b))),
        ('u', 8) => |block, big, to| widen(block, big, to, |b| u64::from_le_bytes(b) as f64),
        ('i', 1) => |block, big, to| widen(block, big, to, |b| f64::from(i8::from_le_bytes(b))),
        ('i', 2) => |block, big, to| widen(block, big, to, |b| f64::from(i16::from_le_bytes(b))),
        ('i', 4) => |block, big, to| widen(block, big, to, |b| f64::from(i32::from_le_bytes(b))),
        ('i', 8) => |block, big, to| widen(block, big, to, |b| i64::from_le_bytes(b) as f64),
        _ => return None,
    })
}

/// Appends a double for each N bytes, which are put smallest first.
fn widen<const N: usize>(
    block: &[u8],
    big_endian: bool,
    numbers: &mut Vec<f64>,
    convert: impl Fn([u8; N]) -> f64,
) {
    let (elements, _) = block.as_chunks::<N>();
    if big_endian {
        let reversed = |mut bytes: [u8; N]| {
            bytes.reverse();
            bytes
        };
        numbers.extend(elements.iter().map(|bytes| convert(reversed(*bytes))));
    } else {
        numbers.extend(elements.iter().map(|bytes| convert(*bytes)));
    }
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
