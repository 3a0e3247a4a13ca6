//! Arrow IPC some rows at a time: a piece is a batch, as the file has them.

use std::fs::File;

use super::super::Asked;
use super::super::guard::guarded;
use super::super::pieces::{Opened, Piece, Pieces, until_empty};
use super::read::{Batches, Gathered, open, unusable};
use crate::error::Result;
use crate::table::Source;

/// A file of either format.
pub struct Arrow<'a> {
    batches: Batches,
    asked: Asked<'a>,
}

impl<'a> Arrow<'a> {
    /// Looks at the file as a whole.
    pub fn open(file: File, asked: Asked<'a>) -> Result<Self> {
        let batches = open(file, asked.name, asked.wanted, &asked.allowance)?;
        Ok(Self { batches, asked })
    }
}

impl Opened for Arrow<'_> {
    fn pieces(&mut self, _: usize) -> Result<Pieces<'_>> {
        let Self { batches: Batches { schema, batches, count }, asked } = self;
        let Asked { name, wanted, allowance, .. } = asked;
        let mut first = 0;
        Ok(until_empty(move || {
            guarded(name, || {
                let mut gathered = Gathered::new(schema, wanted);
                // Batches of no rows may come before others.
                while gathered.rows == 0
                    && let Some(batch) = batches.next()
                {
                    let batch = batch.map_err(|error| unusable(name, "Arrow", &error))?;
                    gathered.add(&batch, name, "Arrow", &mut allowance.clone())?;
                }
                let source = Source::rows(name).starting(first);
                first += gathered.rows as u64;
                Ok(Piece { table: gathered.take(source), bytes: count.take() })
            })
        }))
    }
}
