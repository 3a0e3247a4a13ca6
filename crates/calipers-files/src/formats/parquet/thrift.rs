//! Thrift's compact encoding, as far as is needed to look at numbers in it before a library that
//! trusts them does.

use std::io::{self, Read};

/// What a field holds, by the encoding's number for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireType(u8);

impl WireType {
    pub const LIST: Self = Self(9);
    pub const STRUCT: Self = Self(12);
}

/// Structs within structs: Parquet's own go five deep.
const DEEPEST: usize = 32;

/// Reads values one after the other; whatever it is told, it reads no further than the bytes go.
pub struct Compact<R> {
    reader: R,
    /// How many bytes were read.
    pub read: u64,
}

impl<R: Read> Compact<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, read: 0 }
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.reader.read_exact(&mut byte)?;
        self.read += 1;
        Ok(byte[0])
    }

    fn unsigned(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(damaged())
    }

    /// An integer of any size.
    pub fn integer(&mut self) -> io::Result<i64> {
        let zigzag = self.unsigned()?;
        Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// Calls `see` with the number and kind of each field of a struct; it reads the field and says
    /// so, or leaves it to be passed over.
    pub fn fields(
        &mut self,
        mut see: impl FnMut(&mut Self, i64, WireType) -> io::Result<bool>,
    ) -> io::Result<()> {
        self.each_field(0, &mut see)
    }

    fn each_field(
        &mut self,
        depth: usize,
        see: &mut dyn FnMut(&mut Self, i64, WireType) -> io::Result<bool>,
    ) -> io::Result<()> {
        let mut number = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            number = match head >> 4 {
                0 => self.integer()?,
                step => number + i64::from(step),
            };
            let kind = WireType(head & 0x0f);
            if !see(self, number, kind)? {
                self.pass(kind, depth)?;
            }
        }
    }

    /// The kind of a list's items, and how many there are.
    pub fn list(&mut self) -> io::Result<(WireType, u64)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.unsigned()?,
            count => count.into(),
        };
        Ok((WireType(head & 0x0f), count))
    }

    fn pass(&mut self, kind: WireType, depth: usize) -> io::Result<()> {
        if depth > DEEPEST {
            return Err(damaged());
        }
        match kind.0 {
            // Truths are told by the kind itself.
            1 | 2 => Ok(()),
            3 => self.byte().map(drop),
            4..=6 => self.unsigned().map(drop),
            7 => self.pass_bytes(8),
            8 => {
                let length = self.unsigned()?;
                self.pass_bytes(length)
            }
            9 | 10 => {
                let (kind, count) = self.list()?;
                (0..count).try_for_each(|_| self.pass_item(kind, depth))
            }
            11 => {
                let count = self.unsigned()?;
                let kinds = if count == 0 { 0 } else { self.byte()? };
                (0..count).try_for_each(|_| {
                    self.pass_item(WireType(kinds >> 4), depth)?;
                    self.pass_item(WireType(kinds & 0x0f), depth)
                })
            }
            12 => self.each_field(depth + 1, &mut |_, _, _| Ok(false)),
            _ => Err(damaged()),
        }
    }

    /// In a list a truth takes a byte, and so every item takes one at least.
    fn pass_item(&mut self, kind: WireType, depth: usize) -> io::Result<()> {
        match kind.0 {
            1 | 2 => self.byte().map(drop),
            _ => self.pass(kind, depth + 1),
        }
    }

    fn pass_bytes(&mut self, count: u64) -> io::Result<()> {
        let passed = io::copy(&mut self.reader.by_ref().take(count), &mut io::sink())?;
        self.read += passed;
        if passed == count { Ok(()) } else { Err(damaged()) }
    }
}

/// What the library would say in its own words.
fn damaged() -> io::Error {
    io::Error::from(io::ErrorKind::InvalidData)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_behind_what_is_passed_over() {
        // 1: i32 -3; 2: binary "ab"; 3: list of two i32; 4: struct { 1: true }; 20: i64 300.
        let bytes =
            [0x15, 5, 0x18, 2, b'a', b'b', 0x19, 0x25, 2, 4, 0x1c, 0x11, 0, 0x06, 40, 0xd8, 4, 0];
        let mut found = Vec::new();
        let mut compact = Compact::new(&bytes[..]);
        compact
            .fields(|compact, number, _| {
                if number != 1 && number != 20 {
                    return Ok(false);
                }
                found.push((number, compact.integer()?));
                Ok(true)
            })
            .unwrap();
        assert_eq!(found, [(1, -3), (20, 300)]);
        assert_eq!(compact.read, bytes.len() as u64);
    }

    #[test]
    fn lengths_and_depths_beyond_the_bytes_are_errors() {
        let none = |bytes: &[u8]| Compact::new(bytes).fields(|_, _, _| Ok(false));
        // A binary of 2⁶³ bytes, a list of 2⁶³ structs, structs without end.
        let long = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert!(none(&[&[0x18], &long[..]].concat()).is_err());
        assert!(none(&[&[0x19, 0xfc], &long[..]].concat()).is_err());
        assert!(none(&[0x1c; 1 << 20]).is_err());
        assert!(none(&[0x15, 0xff]).is_err());
        assert!(none(&[0x15; 20]).is_err());
    }
}
