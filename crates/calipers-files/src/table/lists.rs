//! A column of lists of numbers, stored end to end: no allocation a row.

/// Lists of numbers, one a row, of any length; what is missing in a list is NaN, and a list that is missing
/// is empty.
///
/// ```
/// use calipers_files::Lists;
///
/// let mut lists = Lists::default();
/// lists.push(&[0.75, 0.25]);
/// lists.push(&[0.5, 0.25, 0.25]);
/// assert_eq!((lists.len(), lists.get(1).len()), (2, 3));
/// assert_eq!((lists.shortest(), lists.longest()), (2, 3));
/// ```
#[derive(Debug, Default)]
pub struct Lists {
    numbers: Vec<f64>,
    ends: Vec<usize>,
    /// The first row that has something else, and what that is.
    fault: Option<(usize, String)>,
}

impl Lists {
    /// Adds a row.
    pub fn push(&mut self, list: &[f64]) {
        self.numbers.extend_from_slice(list);
        self.ends.push(self.numbers.len());
    }

    /// Adds a row that has no list of numbers, but what is said of it: the column is still one of lists, with a
    /// fault, and not one that is of no use. The row's list is a single missing number.
    ///
    /// ```
    /// use calipers_files::Lists;
    ///
    /// let mut lists = Lists::default();
    /// lists.push(&[0.75, 0.25]);
    /// lists.push_fault(|| "0.5 is a number".to_owned());
    /// assert_eq!(lists.fault(), Some((1, "0.5 is a number")));
    /// assert!(lists.get(1)[0].is_nan());
    /// ```
    pub fn push_fault(&mut self, what: impl FnOnce() -> String) {
        let row = self.len();
        self.fault.get_or_insert_with(|| (row, what()));
        self.push(&[f64::NAN]);
    }

    /// The first row that has no list of numbers, and what it has.
    pub fn fault(&self) -> Option<(usize, &str)> {
        self.fault.as_ref().map(|(row, what)| (*row, what.as_str()))
    }

    /// Adds a row of whatever `add` appends to the numbers.
    #[cfg(feature = "parquet")]
    pub(crate) fn push_with<E>(
        &mut self,
        add: impl FnOnce(&mut Vec<f64>) -> Result<(), E>,
    ) -> Result<(), E> {
        add(&mut self.numbers)?;
        self.ends.push(self.numbers.len());
        Ok(())
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many numbers there are in all lists.
    pub(crate) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The list of a row.
    pub fn get(&self, row: usize) -> &[f64] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.numbers[start..self.ends[row]]
    }

    /// The list of each row.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.len()).map(|row| self.get(row))
    }

    /// How many numbers the shortest list has.
    pub fn shortest(&self) -> usize {
        self.iter().map(<[f64]>::len).min().unwrap_or(0)
    }

    /// How many numbers the longest list has.
    pub fn longest(&self) -> usize {
        self.iter().map(<[f64]>::len).max().unwrap_or(0)
    }
}
