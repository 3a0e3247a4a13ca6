//! Sums of gradients and Hessians by bin, of four features side by side.

/// The features of a histogram: with four, a bin fills a cache line, and a vector holds one sum of
/// each.
pub(super) const LANES: usize = 4;

/// The sums of a bin: for each of the features, gradient and Hessian.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Cell([[f64; 2]; LANES]);

impl Cell {
    const ZERO: Self = Self([[0.0; 2]; LANES]);

    /// The sums of the first two features, and those of the others.
    #[inline(always)]
    pub fn halves(&self) -> [[f64; LANES]; 2] {
        let [[a, b], [c, d], [e, f], [g, h]] = self.0;
        [[a, b, c, d], [e, f, g, h]]
    }
}

/// The sums of all bins. Every byte is a place in it; and with one cell more than that, equal bins
/// of neighbouring histograms are not 4 KB apart, which processors mistake for one place.
#[derive(Debug, Clone)]
pub(super) struct Histogram([Cell; 257]);

impl Histogram {
    pub const ZERO: Self = Self([Cell::ZERO; 257]);

    #[inline(always)]
    pub fn cell(&self, bin: usize) -> &Cell {
        &self.0[bin]
    }

    #[inline(always)]
    pub fn add(&mut self, lane: usize, bin: u8, pair: [f64; 2]) {
        let sums = &mut self.0[usize::from(bin)].0[lane];
        sums[0] += pair[0];
        sums[1] += pair[1];
    }

    /// Subtracts the sums of some bins.
    #[inline(always)]
    pub fn subtract(&mut self, other: &Self, bins: Bins) {
        for bin in bins.iter() {
            let (sums, others) = (self.0[bin].0.as_flattened_mut(), other.0[bin].0.as_flattened());
            sums.iter_mut().zip(others).for_each(|(sum, other)| *sum -= other);
        }
    }

    /// Sets some bins to zero.
    #[inline(always)]
    pub fn clear(&mut self, bins: Bins) {
        bins.iter().for_each(|bin| self.0[bin] = Cell::ZERO);
    }
}

/// A set of bins.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bins([u64; 4]);

impl Bins {
    /// The bins on all sides of so many borders.
    pub fn around(borders: usize) -> Self {
        Self(std::array::from_fn(|word| match (borders + 1).saturating_sub(64 * word) {
            bins @ ..64 => (1 << bins) - 1,
            _ => u64::MAX,
        }))
    }

    #[inline(always)]
    pub fn insert(&mut self, bin: u8) {
        self.0[usize::from(bin / 64)] |= 1 << (bin % 64);
    }

    /// From the highest down.
    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let (mut at, mut word) = (3, self.0[3]);
        std::iter::from_fn(move || {
            while word == 0 {
                at = if at == 0 { return None } else { at - 1 };
                word = self.0[at];
            }
            let bit = word.ilog2() as usize;
            word ^= 1 << bit;
            Some(64 * at + bit)
        })
    }
}
