//! Borders between the values of a feature.

/// Chooses at most `most` borders so that the pieces between them have a large sum of the logs of
/// their sizes; equal values stay together. CatBoost's GreedyLogSum: starting from one piece, the
/// piece that gains most is cut at its middle value. Cost: a sort.
pub(crate) fn choose(mut values: Vec<f64>, most: usize) -> Vec<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let mut pieces = Heap(vec![Piece::new(&values, 0, values.len())]);
    while pieces.0.len() <= most
        && let Some(piece) = pieces.pop_if(|piece| piece.gain > f64::NEG_INFINITY)
    {
        pieces.push(Piece::new(&values, piece.start, piece.cut));
        pieces.push(Piece::new(&values, piece.cut, piece.end));
    }
    let starts = pieces.0.iter().map(|piece| piece.start).filter(|&start| start > 0);
    let mut borders: Vec<f64> =
        starts.map(|start| 0.5 * values[start - 1] + 0.5 * values[start]).collect();
    borders.sort_unstable_by(f64::total_cmp);
    borders.dedup();
    borders
}

/// How many borders lie below a value.
#[inline]
pub(crate) fn bin(borders: &[f64], value: f64) -> u8 {
    borders.partition_point(|&border| border < value) as u8
}

/// Sorted values from `start` to before `end`, and where best to cut them.
struct Piece {
    start: usize,
    end: usize,
    cut: usize,
    gain: f64,
}

impl Piece {
    fn new(values: &[f64], start: usize, end: usize) -> Self {
        let Some(&middle) = values.get(start + (end - start) / 2) else {
            return Self { start, end, cut: start, gain: f64::NEG_INFINITY };
        };
        let piece = &values[start..end];
        let below = start + piece.partition_point(|&value| value < middle);
        let above = start + piece.partition_point(|&value| value <= middle);
        let gain = |cut: usize| {
            if cut == start || cut == end {
                return f64::NEG_INFINITY;
            }
            let log = |size: usize| (size as f64 + 1e-8).ln();
            log(cut - start) + log(end - cut) - log(end - start)
        };
        let (low, high) = (gain(below), gain(above));
        let (cut, gain) = if low >= high { (below, low) } else { (above, high) };
        Self { start, end, cut, gain }
    }
}

/// A binary heap, the greatest gain on top.
///
/// Pieces of the same size gain the same, and which of them is cut decides where borders are. So
/// that they are CatBoost's, ties are left in the order in which the heap of its C++ library leaves
/// them, which the standard library's does not.
struct Heap(Vec<Piece>);

impl Heap {
    fn push(&mut self, piece: Piece) {
        self.0.push(piece);
        self.rise(self.0.len() - 1);
    }

    /// Moves a piece up past those that gain less.
    fn rise(&mut self, mut at: usize) {
        while at > 0 && self.0[(at - 1) / 2].gain < self.0[at].gain {
            self.0.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    /// Takes the top off, if it passes.
    fn pop_if(&mut self, passes: impl Fn(&Piece) -> bool) -> Option<Piece> {
        self.0.first().filter(|piece| passes(piece))?;
        // The top's place goes down along the greater children to the last level, where the last
        // piece takes it and rises.
        let (mut hole, last) = (0, self.0.len() - 1);
        while 2 * hole < last {
            let left = 2 * hole + 1;
            let right = left < last && self.0[left].gain < self.0[left + 1].gain;
            let child = left + usize::from(right);
            self.0.swap(hole, child);
            hole = child;
        }
        self.0.swap(hole, last);
        let top = self.0.pop();
        if hole < last {
            self.rise(hole);
        }
        top
    }
}
