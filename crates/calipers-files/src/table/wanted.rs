//! Which columns to read: a wide file need not be read as a whole.

use std::collections::HashSet;

/// The columns that were asked for.
///
/// ```
/// use calipers_files::Wanted;
///
/// let two = Wanted::new(vec!["label".to_owned(), "p".to_owned()], false);
/// assert!(two.wants("p") && !two.wants("note"));
/// assert!(Wanted::default().wants("note"));
/// ```
#[derive(Debug)]
pub struct Wanted {
    names: HashSet<String>,
    all: bool,
}

/// How a column that was passed over describes itself.
pub const NOT_READ: &str = "a column that was not read";

/// By default, everything.
impl Default for Wanted {
    fn default() -> Self {
        Self { names: HashSet::new(), all: true }
    }
}

impl Wanted {
    /// The columns of these names, and if `all`, every other one too.
    pub fn new(names: Vec<String>, all: bool) -> Self {
        Self { names: names.into_iter().collect(), all }
    }

    /// Whether to read a column.
    pub fn wants(&self, name: &str) -> bool {
        self.all || self.names(name)
    }

    /// Whether a column was asked for by name.
    pub fn names(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}
