//! The pages of a Parquet file, looked at before the library unfolds them: it makes room for what
//! their headers say.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use super::thrift::{Compact, WireType};
use crate::allowance::{Allowance, CELL};
use crate::error::{Error, Result};

/// The bytes of one column in one group of rows.
pub struct Chunk {
    pub start: u64,
    pub length: u64,
    pub compressed: bool,
}

/// What a page's header says.
#[derive(Debug, Default)]
struct Header {
    length: u64,
    unfolded: i64,
    stored: i64,
    values: i64,
    is_dictionary: bool,
}

/// Counts what the pages of a chunk unfold to; the answer is the largest page's size.
///
/// # Errors
/// More than the file may unfold to, or a header that cannot be true.
pub fn measure(file: &File, chunk: &Chunk, allowance: &mut Allowance, name: &str) -> Result<u64> {
    let damaged =
        |what: &str| Error::input(format!("cannot read {name}: the file is damaged ({what})"));
    let end = chunk.start.checked_add(chunk.length).filter(|&end| end <= allowance.size());
    let end = end.ok_or_else(|| damaged("a column lies beyond its end"))?;
    let mut at = chunk.start;
    let mut largest = 0;
    while at < end {
        let header = header(file, at, end).map_err(|_| damaged("a page's header"))?;
        let sizes = [header.unfolded, header.stored, header.values].map(u64::try_from);
        let [Ok(unfolded), Ok(stored), Ok(values)] = sizes else {
            return Err(damaged("a page of negative size"));
        };
        let size = if chunk.compressed { unfolded } else { stored };
        // The entries of a dictionary are listed, so each has a byte at least.
        if header.is_dictionary && values > size {
            return Err(damaged("a dictionary shorter than its entries"));
        }
        allowance.spend(size)?;
        allowance.spend(values.saturating_mul(CELL))?;
        largest = largest.max(size);
        at = at.saturating_add(header.length).saturating_add(stored);
    }
    Ok(largest)
}

fn header(mut file: &File, at: u64, end: u64) -> io::Result<Header> {
    file.seek(SeekFrom::Start(at))?;
    let mut compact = Compact::new(BufReader::with_capacity(256, file).take(end - at));
    let mut header = Header::default();
    compact.fields(|compact, number, kind| {
        match (number, kind) {
            (2, _) => header.unfolded = compact.integer()?,
            (3, _) => header.stored = compact.integer()?,
            // A page of values, a dictionary, a page of values of version 2.
            (5 | 7 | 8, WireType::STRUCT) => {
                header.is_dictionary |= number == 7;
                compact.fields(|compact, number, _| {
                    if number == 1 {
                        header.values = compact.integer()?;
                    }
                    Ok(number == 1)
                })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    header.length = compact.read;
    Ok(header)
}
