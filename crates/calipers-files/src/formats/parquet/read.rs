//! Parquet, read as Arrow batches.
//!
//! The library makes room for what a file says of itself, so that is looked at first: the tree of
//! columns ([`schema`]), the numbers of rows, and the sizes of the pages ([`pages`]).

use std::collections::BTreeMap;
use std::fs::File;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

use super::super::Asked;
use super::super::arrow::read::{Gathered, projection, unusable};
use super::pages::{self, Chunk};
use super::schema;
use crate::allowance::{Allowance, CELL};
use crate::error::{Error, Result, unreadable};
use crate::table::{Source, Table};
use calipers::words::thousands;

/// Rows that are decoded at once, unless their text may be too long for that.
const BATCH: usize = 1024;

/// What those rows may take of what the whole file may unfold to: they are held beside it.
const SHARE: u64 = 4;

/// Reads a file; columns that are not wanted or cannot be used are not even decoded.
pub fn read(file: File, asked: Asked<'_>) -> Result<Table> {
    let Asked { name, wanted, mut allowance, .. } = asked;
    let metadata = metadata(&file, name, &allowance)?;
    let (schema, groups) = (metadata.schema(), metadata.metadata());
    let roots = projection(schema, wanted);
    check_rows(groups, roots.len(), &allowance)?;
    let mask = ProjectionMask::roots(metadata.parquet_schema(), roots);
    let mut measured = allowance.clone();
    let mut widths = Widths::default();
    for group in groups.row_groups() {
        widths.measure(group, &mask, &file, &mut measured, name)?;
    }
    let batch = widths.batch(BATCH, &measured)?;
    let mut gathered = Gathered::new(schema, wanted);
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
        .with_projection(mask)
        .with_batch_size(batch)
        .build()
        .map_err(|error| damaged(name, &error))?;
    for batch in reader {
        let batch = batch.map_err(|error| unusable(name, "Parquet", &error))?;
        gathered.add(&batch, name, "Parquet", &mut allowance)?;
    }
    Ok(gathered.take(Source::rows(name)))
}

/// What the library says of a file.
pub fn damaged(name: &str, error: &ParquetError) -> Error {
    Error::input(format!("cannot read {name} as Parquet: {error}"))
}

/// What the file says of itself, once it was looked at whether the library may read that.
pub fn metadata(file: &File, name: &str, allowance: &Allowance) -> Result<ArrowReaderMetadata> {
    if !schema::is_sound(file, allowance.size()).map_err(|error| unreadable(name, &error))? {
        return Err(Error::input(format!(
            "cannot read {name}: the file is damaged (its columns are no tree)"
        )));
    }
    ArrowReaderMetadata::load(file, ArrowReaderOptions::default())
        .map_err(|error| damaged(name, &error))
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

/// How long the cells of each column may be: a value is never longer than the page it comes from, but a
/// dictionary or a shared prefix can make each of them as long.
#[derive(Default)]
pub struct Widths(BTreeMap<usize, u64>);

impl Widths {
    /// Looks at the pages of a group of rows.
    pub fn measure(
        &mut self,
        group: &RowGroupMetaData,
        mask: &ProjectionMask,
        file: &File,
        allowance: &mut Allowance,
        name: &str,
    ) -> Result<()> {
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
            let longest = self.0.entry(at).or_default();
            *longest = width.max(*longest);
        }
        Ok(())
    }

    /// How many rows to decode at once, at most so many.
    pub fn batch(&self, most: usize, allowance: &Allowance) -> Result<usize> {
        let row = self.0.values().fold(0u64, |sum, &width| sum.saturating_add(width)).max(1);
        allowance.promised(row.into(), "rows of text or decimals")?;
        Ok((allowance.limit() / SHARE / row).clamp(1, most as u64) as usize)
    }
}
