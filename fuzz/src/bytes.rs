//! Values out of bytes; when there are no more, zeros.

/// Reads values one after the other.
pub struct Bytes<'a>(pub &'a [u8]);

/// Numbers at the edges of what is allowed, and beyond.
const EDGES: [f64; 24] = [
    0.0,
    1.0,
    0.5,
    0.25,
    -0.0,
    1e-300,
    f64::MIN_POSITIVE,
    5e-324,
    1.0 - f64::EPSILON / 2.0,
    1.0 + f64::EPSILON,
    1.0 + 1e-6,
    1.001,
    1.0 / 3.0,
    2.0 / 3.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    1e4,
    -1e4,
    -1e-9,
    745.2,
    6e-8,
];

impl Bytes<'_> {
    /// A byte.
    pub fn byte(&mut self) -> u8 {
        let (first, rest) =
            self.0.split_first().map_or((0, self.0), |(&first, rest)| (first, rest));
        self.0 = rest;
        first
    }

    /// A number below `end`, which is at most 256.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// A number of any kind: one of the edges, a share of 255, or eight bytes as they come.
    pub fn float(&mut self) -> f64 {
        match self.byte() {
            kind @ 0..=127 => EDGES[usize::from(kind) % EDGES.len()],
            128..=223 => f64::from(self.byte()) / 255.0,
            _ => f64::from_le_bytes(std::array::from_fn(|_| self.byte())),
        }
    }
}
