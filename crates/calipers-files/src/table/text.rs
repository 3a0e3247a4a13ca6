//! A column of text, stored end to end: no allocation a cell.

/// Letters, and cells, that a block holds; a longer cell has a block of its own. Text that grew as a
/// whole would be copied when it does, and be there twice.
const BLOCK: usize = 1 << 20;

/// Strings, one a row.
///
/// ```
/// use calipers_files::Text;
///
/// let text: Text = ["cat", "", "dog"].into_iter().collect();
/// assert_eq!((text.len(), text.get(2)), (3, "dog"));
/// ```
#[derive(Debug, Default)]
pub struct Text {
    blocks: Vec<Block>,
    rows: usize,
}

#[derive(Debug, Default)]
struct Block {
    /// The row of the first cell.
    first: usize,
    letters: String,
    ends: Vec<usize>,
}

impl Block {
    fn has_room(&self, cell: &str) -> bool {
        self.letters.len() + cell.len() <= BLOCK && self.ends.len() < BLOCK
    }

    fn get(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.letters[start..self.ends[at]]
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|at| self.get(at))
    }
}

impl Text {
    /// Adds a row.
    pub fn push(&mut self, cell: &str) {
        if !self.blocks.last().is_some_and(|block| block.has_room(cell)) {
            self.blocks.push(Block { first: self.rows, ..Block::default() });
        }
        if let Some(block) = self.blocks.last_mut() {
            block.letters.push_str(cell);
            block.ends.push(block.letters.len());
        }
        self.rows += 1;
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The text of a row.
    pub fn get(&self, row: usize) -> &str {
        let after = self.blocks.partition_point(|block| block.first <= row);
        self.blocks[..after].last().map_or("", |block| block.get(row - block.first))
    }

    /// The text of each row.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().flat_map(Block::iter)
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

    #[test]
    fn long_and_many_cells_take_several_blocks() {
        let long = "x".repeat(BLOCK - 1);
        let longer = "y".repeat(3 * BLOCK);
        let cells = [long.as_str(), "a", "é", &longer, "", "b", &long, &long];
        let text: Text = cells.into_iter().collect();
        assert_eq!(text.blocks.len(), 5);
        assert!(text.iter().eq(cells));
        assert!((0..cells.len()).map(|row| text.get(row)).eq(cells));
        let empty: Text = std::iter::repeat_n("", 3 * BLOCK).collect();
        assert_eq!((empty.blocks.len(), empty.len(), empty.iter().count()), (3, 3 << 20, 3 << 20));
    }
}
