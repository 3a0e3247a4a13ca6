//! A column of text, stored end to end: no allocation a cell.

/// Strings, one a row.
#[derive(Debug, Default)]
pub struct Text {
    letters: String,
    ends: Vec<usize>,
}

impl Text {
    /// Adds a row.
    pub fn push(&mut self, cell: &str) {
        self.letters.push_str(cell);
        self.ends.push(self.letters.len());
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of a row.
    pub fn get(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.letters[start..self.ends[row]]
    }

    /// The text of each row.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|row| self.get(row))
    }
}

impl<'a> FromIterator<&'a str> for Text {
    fn from_iter<I: IntoIterator<Item = &'a str>>(cells: I) -> Self {
        let mut text = Self::default();
        cells.into_iter().for_each(|cell| text.push(cell));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let cells = ["", "käse", "", "b"];
        let text: Text = cells.into_iter().collect();
        assert_eq!(text.len(), 4);
        assert!(text.iter().eq(cells));
        assert!((0..4).map(|row| text.get(row)).eq(cells));
    }
}
