//! What else is known of each row: numbers and categories beside the prediction.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::feature::{Feature, MISSING, Values};
use super::grid::Grid;
use crate::error::{Error, Result};

/// Columns of numbers and of categories, one value a row; any of them may be missing.
///
/// A g that sees them beside f can find errors which cancel where rows of one prediction are taken together:
/// [`Predictions::with_features`](crate::Predictions::with_features).
///
/// ```
/// use calipers::Features;
///
/// let features = Features::new()
///     .number("age", vec![31.0, f64::NAN, 62.0])?
///     .category("region", &[Some("south"), Some("north"), None])?;
/// assert_eq!((features.rows(), features.count()), (3, 2));
/// assert!(features.number("age", vec![1.0; 3]).is_err(), "there is an age already");
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Features {
    columns: Vec<Feature>,
    grid: OnceLock<Arc<Grid>>,
}

impl Features {
    /// The code of a category that is missing.
    pub const MISSING: u32 = MISSING;

    /// No columns yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a column of numbers; NaN is a value that is missing.
    ///
    /// # Errors
    /// A name that there is already; another number of rows than the other columns have.
    pub fn number(self, name: impl Into<String>, values: Vec<f64>) -> Result<Self> {
        // Infinite numbers are beyond all others, and a border can be laid before them.
        let bounded = |value: f64| value.clamp(-f64::MAX, f64::MAX);
        let values = values.into_iter().map(bounded).collect();
        self.with(Feature { name: name.into(), values: Values::Numbers(values) })
    }

    /// Adds a column of categories; none is a value that is missing.
    ///
    /// # Errors
    /// As [`number`](Self::number).
    pub fn category<S: AsRef<str>>(
        self,
        name: impl Into<String>,
        values: &[Option<S>],
    ) -> Result<Self> {
        let mut known: HashMap<&str, u32> = HashMap::new();
        let mut levels = Vec::new();
        let codes = values.iter().map(|value| match value {
            None => Self::MISSING,
            Some(level) => *known.entry(level.as_ref()).or_insert_with(|| {
                levels.push(level.as_ref().to_owned());
                levels.len() as u32 - 1
            }),
        });
        let codes = codes.collect();
        self.coded(name, levels, codes)
    }

    /// Adds a column of categories by their places among the levels.
    ///
    /// # Errors
    /// As [`number`](Self::number); a code that is neither a level's place nor [`MISSING`](Self::MISSING);
    /// two equal levels.
    pub fn coded(
        self,
        name: impl Into<String>,
        levels: Vec<String>,
        codes: Vec<u32>,
    ) -> Result<Self> {
        let name = name.into();
        let unknown = |code: &u32| *code != Self::MISSING && *code as usize >= levels.len();
        if let Some(row) = codes.iter().position(unknown) {
            let reason =
                format!("row {row}: {} is none of its {} levels", codes[row], levels.len());
            return Err(Error::Feature { name, reason });
        }
        let mut seen = std::collections::HashSet::new();
        if let Some(twice) = levels.iter().find(|level| !seen.insert(level.as_str())) {
            let reason = format!("two of its levels are {twice:?}");
            return Err(Error::Feature { name, reason });
        }
        self.with(Feature { name, values: Values::Categories { levels, codes } })
    }

    fn with(mut self, column: Feature) -> Result<Self> {
        let Feature { name, values } = &column;
        if self.columns.iter().any(|known| known.name == *name) {
            let reason = "there is a feature of that name already".to_owned();
            return Err(Error::Feature { name: name.clone(), reason });
        }
        if let Some(first) = self.columns.first()
            && first.values.len() != values.len()
        {
            let (found, expected) = (values.len(), first.values.len());
            let reason = format!("{found} values, where {} has {expected}", first.name);
            return Err(Error::Feature { name: name.clone(), reason });
        }
        self.columns.push(column);
        self.grid = OnceLock::new();
        Ok(self)
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// How many columns there are.
    pub fn count(&self) -> usize {
        self.columns.len()
    }

    /// The columns' names, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    pub(crate) fn columns(&self) -> &[Feature] {
        &self.columns
    }

    /// The column of a name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Every column in few cells; made once. It depends on no label.
    pub(crate) fn grid(&self) -> &Arc<Grid> {
        self.grid.get_or_init(|| Arc::new(Grid::of(&self.columns)))
    }
}

/// Some rows of a table of features, in any order.
///
/// ```
/// use std::sync::Arc;
/// use calipers::{FeatureRows, Features};
///
/// let features = Features::new().number("age", vec![31.0, 44.0, 62.0])?;
/// assert_eq!(FeatureRows::all(Arc::new(features)).count(), 3);
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FeatureRows {
    table: Arc<Features>,
    rows: Arc<[u32]>,
    /// Columns that are read from other rows.
    swapped: Option<(Vec<usize>, Arc<[u32]>)>,
}

impl FeatureRows {
    /// All rows of a table.
    pub fn all(table: Arc<Features>) -> Self {
        let rows = (0..table.rows() as u32).collect();
        Self { table, rows, swapped: None }
    }

    /// Some rows of a table.
    pub(crate) fn of(table: Arc<Features>, rows: impl Iterator<Item = u32>) -> Self {
        Self { table, rows: rows.collect(), swapped: None }
    }

    /// Some of these rows.
    pub(crate) fn select(&self, places: &[u32]) -> Self {
        let pick = |rows: &Arc<[u32]>| places.iter().map(|&place| rows[place as usize]).collect();
        let swapped = self.swapped.as_ref().map(|(columns, rows)| (columns.clone(), pick(rows)));
        Self { table: Arc::clone(&self.table), rows: pick(&self.rows), swapped }
    }

    /// The same rows, some columns of which are read from each other's rows instead, in this order.
    pub(crate) fn swapped(&self, columns: &[usize], order: &[u32]) -> Self {
        let rows = order.iter().map(|&place| self.rows[place as usize]).collect();
        Self { swapped: Some((columns.to_vec(), rows)), ..self.clone() }
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// The table.
    pub fn table(&self) -> &Features {
        &self.table
    }

    /// The table's rows that a column is read from.
    pub(crate) fn rows_of(&self, column: usize) -> &[u32] {
        match &self.swapped {
            Some((columns, rows)) if columns.contains(&column) => rows,
            _ => &self.rows,
        }
    }
}
