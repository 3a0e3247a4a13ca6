//! One column of what is known beside the prediction.

/// The code of a category that is missing.
pub(crate) const MISSING: u32 = u32::MAX;

/// One column.
#[derive(Debug, Clone)]
pub(crate) struct Feature {
    pub name: String,
    pub values: Values,
}

/// What a column holds.
#[derive(Debug, Clone)]
pub(crate) enum Values {
    /// Numbers; those that are missing are NaN.
    Numbers(Vec<f64>),
    /// Places among the levels; [`MISSING`] where there is none.
    Categories { levels: Vec<String>, codes: Vec<u32> },
}

impl Values {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Categories { codes, .. } => codes.len(),
        }
    }
}
