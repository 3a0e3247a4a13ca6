//! The second reading for other measures: what of them can be added up, of every row.

use calipers::NeighbourSums;

use super::about::{About, classes};
use super::draw::Pass;
use super::identified::located;
use crate::error::{Error, Result};
use crate::scan::{Book, Scan};

impl Pass<'_> {
    /// Reads every row of some files and adds it to sums, which begin as these do.
    ///
    /// # Errors
    /// What is wrong with a file, with its place.
    pub fn add_up(&self, about: &About, sums: &NeighbourSums) -> Result<NeighbourSums> {
        let class_of = about.class_of();
        let scan = Scan::new(self.inputs, self.layout)
            .labels(Book::known(about.words(), true))
            .threads(self.threads);
        let states = scan.run(
            || sums.clone(),
            |sums: &mut NeighbourSums, batch| {
                self.check()?;
                let labels = classes(&batch.labels, &class_of);
                sums.add(&batch.f, &labels).map_err(|error| located(&error, &batch, self.inputs))
            },
            self.seen,
        )?;
        let mut all = sums.clone();
        for own in states {
            all.merge(&own).map_err(|error| Error::unexpected(error.to_string()))?;
        }
        Ok(all)
    }
}
