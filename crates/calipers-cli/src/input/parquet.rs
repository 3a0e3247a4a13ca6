//! Parquet, read as Arrow batches.

use std::fs::File;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;

use super::arrow::{collect, projection};
use super::{Table, Wanted};
use crate::error::{Failure, Result};

/// Reads a file; columns that are not wanted or cannot be used are not even decoded.
pub fn read(file: File, name: &str, wanted: &Wanted) -> Result<Table> {
    let damaged =
        |error: ParquetError| Failure::input(format!("cannot read {name} as Parquet: {error}"));
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged)?;
    let schema = builder.schema().clone();
    let mask = ProjectionMask::roots(builder.parquet_schema(), projection(&schema, wanted));
    let reader = builder.with_projection(mask).build().map_err(damaged)?;
    collect(&schema, reader, name, "Parquet", wanted)
}
