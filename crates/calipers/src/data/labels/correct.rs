use super::{Label, Reading, Rule, meaning};
use crate::error::{Error, Result};

/// Words for whether an answer was right, beside those for yes and no.
const WORDS: [(&str, usize); 6] =
    [("incorrect", 0), ("correct", 1), ("wrong", 0), ("right", 1), ("i", 0), ("c", 1)];

/// Labels that say whether an answer was right: what the column of how sure something was is called is no matter.
pub(super) fn read(found: &[Label]) -> Result<Reading> {
    let codes = found.iter().map(code).collect::<Result<_>>()?;
    let classes = ["0", "1"].map(str::to_owned).to_vec();
    Ok(Reading { codes, classes, rule: Rule::Truth, remark: None })
}

fn code(label: &Label) -> Result<usize> {
    let text = label.text.trim();
    let word = || WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
    let said = match meaning::number(text) {
        Some(number) if number.abs() <= 0.0 => Some(0),
        Some(number) if (number - 1.0).abs() <= 0.0 => Some(1),
        Some(_) => None,
        None => word().map(|(_, code)| *code),
    };
    said.ok_or_else(|| Error::NoCorrectness { row: label.row, value: label.text.clone() })
}
