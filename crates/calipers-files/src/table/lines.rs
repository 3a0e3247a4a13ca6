//! Which line of a text a row is on.

/// The line of each row.
///
/// ```
/// use calipers_files::Lines;
///
/// let mut lines = Lines::default();
/// lines.note(0, 2);
/// lines.note(1, 5);
/// assert_eq!((lines.of(0), lines.of(1), lines.of(2)), (2, 5, 6));
/// ```
///
/// Nearly always a row is one line below the row before it, so only the rows where that is not so
/// are kept.
#[derive(Debug, Default)]
pub struct Lines {
    /// From this row on, the line is the row's number plus this.
    steps: Vec<(usize, u64)>,
}

impl Lines {
    /// Notes the line of a row; rows come in order.
    pub fn note(&mut self, row: usize, line: u64) {
        let offset = line.saturating_sub(row as u64);
        if self.steps.last().is_none_or(|&(_, last)| last != offset) {
            self.steps.push((row, offset));
        }
    }

    /// The line of a row, from 1.
    pub fn of(&self, row: usize) -> u64 {
        let after = self.steps.partition_point(|&(first, _)| first <= row);
        let offset =
            after.checked_sub(1).and_then(|at| self.steps.get(at)).map_or(1, |step| step.1);
        row as u64 + offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_where_they_jump() {
        let mut lines = Lines::default();
        for (row, line) in [(0, 2), (1, 3), (2, 7), (3, 8)] {
            lines.note(row, line);
        }
        assert_eq!((0..4).map(|row| lines.of(row)).collect::<Vec<_>>(), [2, 3, 7, 8]);
        assert_eq!(lines.steps.len(), 2);
    }
}
