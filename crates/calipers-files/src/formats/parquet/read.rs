//! Parquet, read as Arrow batches.
//!
//! The library makes room for what a file says of itself, so that is looked at first: the tree of
//! columns ([`schema`]), the numbers of rows, and the sizes of the pages ([`pages`]).

use std::fs::File;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;

use super::super::Asked;
use super::super::arrow::read::{collect, projection};
use super::pages::{self, Chunk};
use super::schema;
use crate::allowance::{Allowance, CELL};
use crate::error::{Error, Result, unreadable};
use crate::table::Table;
use calipers::words::thousands;

/// Rows that are decoded at once, unless their text may be too long for that.
const BATCH: u64 = 1024;

/// What those rows may take of what the whole file may unfold to: they are held beside it.
const SHARE: u64 = 4;

/// Reads a file; columns that are not wanted or cannot be used are not even decoded.
pub fn read(file: File, asked: Asked<'_>) -> Result<Table> {
    let Asked { name, wanted, mut allowance, .. } = asked;
    let damaged =
        |error: ParquetError| Error::input(format!("cannot read {name} as Parquet: {error}"));
    if !schema::is_sound(&file, allowance.size()).map_err(|error| unreadable(name, &error))? {
        return Err(Error::input(format!(
            "cannot read {name}: the file is damaged (its columns are no tree)"
        )));
    }
    let pages = file.try_clone().map_err(|error| unreadable(name, &error))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged)?;
    let schema = builder.schema().clone();
    let roots = projection(&schema, wanted);
    check_rows(builder.metadata(), roots.len(), &allowance)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
    let batch = batch(builder.metadata(), &mask, &pages, &mut allowance.clone(), name)?;
    let reader = builder.with_projection(mask).with_batch_size(batch).build().map_err(damaged)?;
    collect(&schema, reader, name, "Parquet", wanted, &mut allowance)
}

/// Looks at the number of rows, wherever it is said to be largest.
fn check_rows(metadata: &ParquetMetaData, columns: usize, allowance: &Allowance) -> Result<()> {
    let groups = metadata.row_groups().iter().map(|group| group.num_rows());
    let whole = metadata.file_metadata().num_rows();
    // What is negative would be taken for more than there can be.
    let count = |rows: i64| u128::from(u64::try_from(rows).unwrap_or(u64::MAX));
    let rows = groups.map(count).sum::<u128>().max(count(whole));
    let what = format!("{} rows of {columns} columns", thousands(rows));
    allowance.promised(rows * columns.max(1) as u128 * u128::from(CELL), &what)
}

/// How many rows to decode at once: a value is never longer than the page it comes from, but a
/// dictionary or a shared prefix can make each of them as long.
fn batch(
    metadata: &ParquetMetaData,
    mask: &ProjectionMask,
    file: &File,
    allowance: &mut Allowance,
    name: &str,
) -> Result<usize> {
    let mut longest = vec![0; metadata.file_metadata().schema_descr().num_columns()];
    for group in metadata.row_groups() {
        for (at, column) in group.columns().iter().enumerate() {
            if !mask.leaf_included(at) {
                continue;
            }
            let (start, length) = column.byte_range();
            let compressed = column.compression() != Compression::UNCOMPRESSED;
            let chunk = Chunk { start, length, compressed };
            let page = pages::measure(file, &chunk, allowance, name)?;
            let width = match column.column_type() {
                Type::BYTE_ARRAY => page,
                Type::FIXED_LEN_BYTE_ARRAY => {
                    column.column_descr().type_length().unsigned_abs().into()
                }
                _ => CELL,
            };
            if let Some(longest) = longest.get_mut(at) {
                *longest = width.max(*longest);
            }
        }
    }
    let row = longest.iter().fold(0u64, |sum, &width| sum.saturating_add(width)).max(1);
    allowance.promised(row.into(), "rows of text or decimals")?;
    Ok((allowance.limit() / SHARE / row).clamp(1, BATCH) as usize)
}
