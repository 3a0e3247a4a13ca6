use serde::{Deserialize, Serialize};

/// The shape of the matrix A in softmax(A x + b).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Shape {
    /// A multiple of the identity.
    Scalar,
    /// A diagonal matrix.
    Diagonal,
    /// Any matrix.
    Full,
}

impl Shape {
    /// How many slopes it has.
    pub fn slopes(self, classes: usize) -> usize {
        match self {
            Shape::Scalar => 1,
            Shape::Diagonal => classes,
            Shape::Full => classes * classes,
        }
    }

    /// Which of the slopes are 1 in the identity.
    pub fn is_diagonal(self, slope: usize, classes: usize) -> bool {
        match self {
            Shape::Scalar | Shape::Diagonal => true,
            Shape::Full => slope.is_multiple_of(classes + 1),
        }
    }
}
