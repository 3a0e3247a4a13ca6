//! Tables of many files, one after the other.

use super::inputs::Inputs;
use crate::error::Result;
use crate::table::{Table, Wanted};

/// Hands out the wanted columns of every file, some rows at a time: file after file, in order, on this
/// thread. Nothing is checked, and a file without rows is passed over.
///
/// ```
/// use calipers_files::{Inputs, Wanted, each_table};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.csv"), "id,p\n7,0.75\n8,0.5\n")?;
/// std::fs::write(folder.path().join("b.csv"), "id,p\n9,0.25\n")?;
/// let inputs = Inputs::find(&[folder.path().to_owned()])?;
/// let mut rows = Vec::new();
/// each_table(&inputs, &Wanted::default(), &mut |file, table| {
///     rows.push((file, table.rows()));
///     Ok(())
/// })?;
/// assert_eq!(rows, [(0, 2), (1, 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What is wrong with a file, or what `visit` says.
pub fn each_table(
    inputs: &Inputs,
    wanted: &Wanted,
    visit: &mut dyn FnMut(usize, Table) -> Result<()>,
) -> Result<()> {
    for file in 0..inputs.len() {
        let mut opened = inputs.open(file, wanted)?;
        for part in 0..opened.shape().parts {
            for piece in opened.pieces(part)? {
                let mut table = piece?.table;
                if table.rows() > 0 {
                    table.name_classes(&inputs.class_names(file))?;
                    visit(file, table)?;
                }
            }
        }
    }
    Ok(())
}
