//! Arrays out.

use std::io::{self, BufWriter, Write};

/// What comes before the elements is a multiple of so many bytes, as NumPy has it.
const ALIGNED: usize = 64;

/// Writes an array of a type, such as `<f8`, and a shape; the elements come in pieces, the last index
/// changing fastest.
pub fn write<B: AsRef<[u8]>>(
    out: impl Write,
    described: &str,
    shape: &[usize],
    pieces: impl Iterator<Item = B>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    out.write_all(&start(described, shape))?;
    for piece in pieces {
        out.write_all(piece.as_ref())?;
    }
    out.flush()
}

/// What comes before the elements: the format's name and version, the header's length, the header.
fn start(described: &str, shape: &[usize]) -> Vec<u8> {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    // Python tells a tuple of one from a number by a comma.
    let comma = if shape.len() == 1 { "," } else { "" };
    let header = format!(
        "{{'descr': '{described}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        lengths.join(", ")
    );
    let length = (10 + header.len() + 1).next_multiple_of(ALIGNED) - 10;
    let mut start = b"\x93NUMPY\x01\0".to_vec();
    start.extend((length as u16).to_le_bytes());
    start.extend(format!("{header:<width$}\n", width = length - 1).bytes());
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_what_numpy_writes() {
        let expected =
            format!("{:117}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }");
        assert_eq!(start("<f8", &[3, 2]), [b"\x93NUMPY\x01\0\x76\0", expected.as_bytes()].concat());
        assert!(start("<U5", &[7]).windows(4).any(|bytes| bytes == b"(7,)"));
    }
}
