//! The messages of an Arrow IPC file or stream, looked at before the library reads them: it makes
//! room for what a compressed buffer says that it unfolds to, and for as many nulls as there are
//! said to be.
//!
//! What is not as it should be is passed over here; the library says what it is.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use arrow_ipc::{Message, MessageHeader, RecordBatch, root_as_footer, root_as_message};

use crate::allowance::{Allowance, CELL};
use crate::error::{Error, Result, unreadable};

/// Marks the start of a message, before its length; older files leave it out.
const MARK: [u8; 4] = [0xff; 4];

/// Counts what the messages unfold to.
///
/// # Errors
/// More than the file may unfold to, or blocks that are not in it.
pub fn measure(file: &File, is_file: bool, name: &str, mut allowance: Allowance) -> Result<()> {
    let failed = |error: io::Error| unreadable(name, &error);
    if !is_file {
        return stream(file, &mut allowance, &failed);
    }
    let Some(footer) = footer(file, allowance.size()).map_err(failed)? else {
        return Err(beyond(name));
    };
    let Ok(footer) = root_as_footer(&footer) else { return Err(beyond(name)) };
    let blocks = footer.dictionaries().into_iter().flatten();
    for block in blocks.chain(footer.recordBatches().into_iter().flatten()) {
        let sizes = [block.offset(), block.metaDataLength().into(), block.bodyLength()];
        let [Ok(start), Ok(head), Ok(body)] = sizes.map(u64::try_from) else {
            return Err(beyond(name));
        };
        let body_start = start.saturating_add(head);
        if body_start.saturating_add(body) > allowance.size() {
            return Err(beyond(name));
        }
        // The same block may be listed often.
        allowance.spend(head)?;
        let bytes = at(file, start, head).map_err(failed)?;
        let message = if bytes.starts_with(&MARK) { bytes.get(8..) } else { bytes.get(4..) };
        // The library would read on beyond the head, and find what was not looked at here.
        let Ok(message) = root_as_message(message.unwrap_or_default()) else {
            return Err(beyond(name));
        };
        batch_of(file, message, body_start, &mut allowance, &failed)?;
    }
    Ok(())
}

fn beyond(name: &str) -> Error {
    Error::input(format!(
        "cannot read {name}: the file is damaged (a part of it is not where it should be)"
    ))
}

/// The messages of a stream, one after the other.
fn stream(
    mut file: &File,
    allowance: &mut Allowance,
    failed: &dyn Fn(io::Error) -> Error,
) -> Result<()> {
    let mut start = 0;
    loop {
        let mut head = at(file, start, 8).map_err(failed)?;
        let marked = head.starts_with(&MARK);
        if marked {
            head.drain(..4);
        }
        let &[a, b, c, d, ..] = head.as_slice() else { break };
        let Ok(length @ 1..) = u64::try_from(i32::from_le_bytes([a, b, c, d])) else { break };
        start += if marked { 8 } else { 4 };
        let bytes = at(file, start, length).map_err(failed)?;
        let Ok(message) = root_as_message(&bytes) else { break };
        let Ok(body) = u64::try_from(message.bodyLength()) else { break };
        start += length;
        batch_of(file, message, start, allowance, failed)?;
        start = start.saturating_add(body);
        if start >= allowance.size() {
            break;
        }
    }
    file.rewind().map_err(failed)
}

/// Counts what a message unfolds to; its buffers start at `start` in the file.
fn batch_of(
    file: &File,
    message: Message<'_>,
    start: u64,
    allowance: &mut Allowance,
    failed: &dyn Fn(io::Error) -> Error,
) -> Result<()> {
    let batch: Option<RecordBatch<'_>> = match message.header_type() {
        MessageHeader::RecordBatch => message.header_as_record_batch(),
        MessageHeader::DictionaryBatch => {
            message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data())
        }
        _ => None,
    };
    let Some(batch) = batch else { return Ok(()) };
    // What is negative would be taken for more than there can be.
    let count = |length: i64| u64::try_from(length).unwrap_or(u64::MAX);
    for node in batch.nodes().into_iter().flatten() {
        allowance.spend(count(node.length()).saturating_mul(CELL))?;
    }
    for buffer in batch.buffers().into_iter().flatten() {
        let mut length = count(buffer.length());
        if batch.compression().is_some() && length >= 8 {
            let prefix = at(file, start.saturating_add(count(buffer.offset())), 8);
            // -1 says that the rest is as it is.
            if let Ok(unfolded) = <[u8; 8]>::try_from(prefix.map_err(failed)?) {
                length = length.max(u64::try_from(i64::from_le_bytes(unfolded)).unwrap_or(0));
            }
        }
        allowance.spend(length)?;
    }
    Ok(())
}

/// The footer of a file, if it is within it.
fn footer(file: &File, size: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(end) = size.checked_sub(10) else { return Ok(None) };
    let tail = at(file, end, 4)?;
    let &[a, b, c, d] = tail.as_slice() else { return Ok(None) };
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    end.checked_sub(length).map(|start| at(file, start, length)).transpose()
}

/// Bytes of the file, fewer where it ends.
fn at(mut file: &File, start: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // The system seeks no further than that.
    if i64::try_from(start).is_err() {
        return Ok(bytes);
    }
    file.seek(SeekFrom::Start(start))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
