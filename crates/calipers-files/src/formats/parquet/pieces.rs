//! Parquet some rows at a time: its groups of rows are the parts that threads share out.

use std::fs::File;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::RowGroupMetaData;

use super::super::Asked;
use super::super::arrow::read::{Gathered, projection, unusable};
use super::super::guard::guarded;
use super::super::pieces::{Opened, Piece, Pieces, Shape, Size, until_empty};
use super::read::{Widths, damaged, metadata};
use crate::error::{Result, unreadable};
use crate::table::Source;

/// A file of which the end was read, where it says what it holds.
pub struct Parquet<'a> {
    file: File,
    metadata: ArrowReaderMetadata,
    asked: Asked<'a>,
}

impl<'a> Parquet<'a> {
    /// Reads what the file says of itself.
    pub fn open(file: File, asked: Asked<'a>) -> Result<Self> {
        let metadata = metadata(&file, asked.name, &asked.allowance)?;
        Ok(Self { file, metadata, asked })
    }

    /// How many rows there are in the groups before one.
    fn rows_before(&self, part: usize) -> u64 {
        let groups = self.metadata.metadata().row_groups().iter().take(part);
        groups.fold(0, |sum, group| sum.saturating_add_signed(group.num_rows()))
    }
}

/// How many cells a row of a group has, on average: lists have many.
fn cells(group: &RowGroupMetaData, mask: &ProjectionMask) -> usize {
    let rows = group.num_rows().max(1).unsigned_abs();
    let columns = group.columns().iter().enumerate().filter(|(at, _)| mask.leaf_included(*at));
    let values = columns
        .fold(0u64, |sum, (_, column)| sum.saturating_add(column.num_values().unsigned_abs()));
    usize::try_from(values.div_ceil(rows)).unwrap_or(usize::MAX)
}

impl Opened for Parquet<'_> {
    fn shape(&self) -> Shape {
        let parts = self.metadata.metadata().num_row_groups();
        Shape { parts: parts.max(1), rows: Some(self.rows_before(parts)) }
    }

    fn pieces(&mut self, part: usize) -> Result<Pieces<'_>> {
        let Asked { name, wanted, allowance, .. } = &self.asked;
        let (schema, groups) = (self.metadata.schema(), self.metadata.metadata().row_groups());
        let roots = projection(schema, wanted);
        let (count, schema_of) = (roots.len(), self.metadata.parquet_schema());
        let mask = ProjectionMask::roots(schema_of, roots);
        let size = Size::of(groups.get(part).map_or(count, |group| cells(group, &mask)));
        let mut widths = Widths::default();
        let own: Vec<usize> = groups.get(part).map(|_| part).into_iter().collect();
        let file = self.file.try_clone().map_err(|error| unreadable(name, &error))?;
        if let Some(group) = groups.get(part) {
            guarded(name, || widths.measure(group, &mask, &file, &mut allowance.clone(), name))?;
        }
        let mut reader = guarded(name, || {
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
                .with_row_groups(own)
                .with_projection(mask)
                .with_batch_size(widths.batch(size.rows, allowance)?)
                .build()
                .map_err(|error| damaged(name, &error))
        })?;
        let rows = self.rows_before(groups.len());
        // A row is taken to be as long as any other.
        let bytes_before = move |row: u64| match rows {
            0 => 0,
            rows => (u128::from(row) * u128::from(allowance.size()) / u128::from(rows)) as u64,
        };
        let mut first = self.rows_before(part);
        Ok(until_empty(move || {
            guarded(name, || {
                let mut gathered = Gathered::new(schema, wanted);
                let mut allowance = allowance.clone();
                while gathered.rows < size.rows
                    && gathered.letters < size.letters
                    && let Some(batch) = reader.next()
                {
                    let batch = batch.map_err(|error| unusable(name, "Parquet", &error))?;
                    gathered.add(&batch, name, "Parquet", &mut allowance)?;
                }
                let source = Source::rows(name).starting(first);
                let last = first + gathered.rows as u64;
                let bytes = bytes_before(last).saturating_sub(bytes_before(first));
                first = last;
                Ok(Piece { table: gathered.take(source), bytes })
            })
        }))
    }
}
