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
    /// Whether every other column is there to be used, not to be looked at.
    used: bool,
}

/// How a column that was passed over describes itself.
pub const NOT_READ: &str = "a column that was not read";

/// By default, everything.
impl Default for Wanted {
    fn default() -> Self {
        Self { names: HashSet::new(), all: true, used: false }
    }
}

impl Wanted {
    /// The columns of these names, and if `all`, every other one too.
    pub fn new(names: Vec<String>, all: bool) -> Self {
        Self { names: names.into_iter().collect(), all, used: false }
    }

    /// The same, and every other column is used: also of an archive, which may hold much else.
    ///
    /// ```
    /// use calipers_files::Wanted;
    ///
    /// assert!(Wanted::new(Vec::new(), false).using_all().uses("anything"));
    /// ```
    #[must_use]
    pub fn using_all(mut self) -> Self {
        (self.all, self.used) = (true, true);
        self
    }

    /// Whether a column is used for what it is called, or because all are.
    pub fn uses(&self, name: &str) -> bool {
        self.used || self.names(name)
    }

    /// Whether to read a column.
    pub fn wants(&self, name: &str) -> bool {
        self.all || self.names(name)
    }

    /// The columns that were asked for by name, in no particular order.
    pub(crate) fn all_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Whether a column was asked for by name.
    pub fn names(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}
