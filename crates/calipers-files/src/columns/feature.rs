//! What else is known of rows: columns of numbers and of categories, in which cells may be missing.

use calipers::Features;

use super::cells::{no_number, wrong_kind};
use super::find::find;
use super::locate;
use crate::error::Result;
use crate::formats::csv::number;
use crate::table::{Source, Table, Text, Values};

/// What the cells of a feature are taken for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FeatureKind {
    /// Numbers if every cell that is there is one, else categories.
    #[default]
    AsItLooks,
    /// Numbers: a cell that is none is an error.
    Number,
    /// Categories, also where they look like numbers.
    Category,
}

/// The columns of these names as features, whatever else a table holds; `kind` says what the cells of each are
/// taken for.
///
/// ```
/// use calipers_files::{FeatureKind, Wanted, features, read};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("rows.csv");
/// std::fs::write(&file, "age,region,p\n31,south,0.25\n,north,0.5\n")?;
/// let table = read(&file, &Wanted::default())?;
/// let names = ["age", "region"].map(str::to_owned);
/// let found = features(&table, &names, &|_| FeatureKind::AsItLooks)?;
/// assert_eq!((found.rows(), found.count()), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A column that is not there, or of what is neither a number nor text.
pub fn features(
    table: &Table,
    names: &[String],
    kind: &dyn Fn(&str) -> FeatureKind,
) -> Result<Features> {
    let mut features = Features::new();
    for name in names {
        let values = &table.columns[find(table, name)?].values;
        features = with(features, &table.source, name, values, kind(name))?;
    }
    Ok(features)
}

/// Takes features out of a table, so that they are not in memory twice for long.
pub fn take(table: &mut Table, columns: &[usize]) -> Result<Features> {
    let mut features = Features::new();
    for &at in columns {
        let column = &mut table.columns[at];
        let name = column.name.clone();
        let values = std::mem::replace(&mut column.values, Values::Other("taken".to_owned()));
        features = with(features, &table.source, &name, &values, FeatureKind::AsItLooks)?;
    }
    Ok(features)
}

/// Adds a column.
fn with(
    features: Features,
    source: &Source,
    name: &str,
    values: &Values,
    kind: FeatureKind,
) -> Result<Features> {
    let added = match (values, kind) {
        (Values::Numbers(numbers), FeatureKind::Category) => {
            let written = |number: &f64| (!number.is_nan()).then(|| number.to_string());
            features.category(name, &numbers.iter().map(written).collect::<Vec<_>>())
        }
        (Values::Numbers(numbers), _) => features.number(name, numbers.clone()),
        (Values::Text(text), FeatureKind::Category) => features.category(name, &words(text)),
        (Values::Text(text), FeatureKind::Number) => match numbers(text) {
            Some(numbers) => features.number(name, numbers),
            None => return Err(no_number(source, name, culprit(text), "feature")),
        },
        (Values::Text(text), FeatureKind::AsItLooks) => {
            match numbers(text).filter(|numbers| numbers.iter().any(|number| !number.is_nan())) {
                Some(numbers) => features.number(name, numbers),
                None => features.category(name, &words(text)),
            }
        }
        (Values::Matrix(_) | Values::Lists(_) | Values::Other(_), _) => {
            return Err(wrong_kind(source, name, values, "feature"));
        }
    };
    added.map_err(|error| locate::features(error, source, &[], false))
}

fn words(text: &Text) -> Vec<Option<&str>> {
    text.iter().map(|cell| (!cell.is_empty()).then_some(cell)).collect()
}

/// The numbers of a text in which every cell that is there is one: formats that have types may hold numbers as
/// text. Codes such as `007` are none.
fn numbers(text: &Text) -> Option<Vec<f64>> {
    let cell = |cell: &str| if cell.is_empty() { Some(f64::NAN) } else { number(cell.as_bytes()) };
    text.iter().map(cell).collect()
}

/// The first cell of a text that is there and is no number.
fn culprit(text: &Text) -> (usize, &str) {
    let word = |cell: &str| !cell.is_empty() && number(cell.as_bytes()).is_none();
    text.iter().enumerate().find(|(_, cell)| word(cell)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use calipers::Predictions;

    use super::*;
    use crate::table::Column;

    fn text(cells: &[&str]) -> Values {
        Values::Text(cells.iter().copied().collect())
    }

    fn table(values: Values) -> Table {
        let columns = vec![Column { name: "x".to_owned(), values }];
        Table { source: Source::rows("t.parquet"), columns }
    }

    /// How the column is described by what it was taken for.
    fn read(values: Values, kind: FeatureKind) -> std::result::Result<String, String> {
        let found = features(&table(values), &["x".to_owned()], &|_| kind);
        found.map(|found| format!("{found:?}")).map_err(|error| error.to_string())
    }

    #[test]
    fn text_is_a_number_where_all_of_it_is() {
        let looks = |cells: &[&str]| read(text(cells), FeatureKind::AsItLooks).unwrap();
        assert!(looks(&["1", "", "2.5e3"]).contains("Numbers([1.0, NaN, 2500.0])"));
        assert!(looks(&["1", "a"]).contains("levels: [\"1\", \"a\"]"));
        assert!(looks(&["007", "12"]).contains("levels: [\"007\", \"12\"]"));
        assert!(looks(&["", ""]).contains("levels: []"));
        assert!(looks(&["a", "", "a"]).contains("codes: [0, 4294967295, 0]"));
    }

    #[test]
    fn what_a_model_learnt_from_decides() {
        let numbers = Values::Numbers(vec![1.0, f64::NAN, 0.5]);
        let found = read(numbers, FeatureKind::Category).unwrap();
        assert!(found.contains("levels: [\"1\", \"0.5\"]"), "{found}");
        assert!(read(text(&["", ""]), FeatureKind::Number).unwrap().contains("[NaN, NaN]"));
        assert_eq!(
            read(text(&["1", "", "many"]), FeatureKind::Number).unwrap_err(),
            "t.parquet, row 2, column x: feature \"many\" is not a number"
        );
    }

    #[test]
    fn what_is_neither_is_refused_and_what_is_copied_is_named() {
        let list = Values::Other("a list".to_owned());
        let refused = read(list, FeatureKind::AsItLooks).unwrap_err();
        assert_eq!(refused, "t.parquet, column x: a feature cannot be a list");
        let labels: Vec<usize> = (0..100).map(|row| row % 2).collect();
        let copy = Values::Numbers(labels.iter().map(|&label| label as f64).collect());
        let mut table = table(copy);
        let known = take(&mut table, &[0]).unwrap();
        let predictions = Predictions::binary(vec![0.5; 100], &labels).unwrap();
        let error = predictions.with_features(known).unwrap_err();
        let all = ["x", "a", "b"].map(str::to_owned);
        let said = locate::features(error, &table.source, &all, true);
        assert!(said.message().starts_with("t.parquet, column x: it tells all labels"), "{said}");
        assert_eq!(said.hint(), Some("name the others: --features a,b"));
    }
}
