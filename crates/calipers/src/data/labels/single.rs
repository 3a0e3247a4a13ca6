use super::{Label, Reading, Rule};
use crate::error::{Error, Result};

/// Labels of two classes, of which only the second has a column.
pub(super) fn read(found: &[Label], column: Option<&str>) -> Result<Reading> {
    let own = column.and_then(|column| {
        let named = [column.to_owned()];
        found.iter().position(|label| label.named(&named).is_some())
    });
    let plain = |rule, read: &dyn Fn(&Label) -> Option<usize>, names: [&str; 2]| {
        let codes = found.iter().map(read).collect::<Option<Vec<usize>>>()?;
        Some(Reading { codes, classes: names.map(str::to_owned).to_vec(), rule, remark: None })
    };
    let numbers = plain(Rule::Positions, &|label| label.position(2), ["0", "1"]);
    let usual = numbers.or_else(|| plain(Rule::Truth, &Label::truth, ["false", "true"]));
    let agrees = |reading: &Reading| own.is_none_or(|own| reading.codes[own] == 1);
    if let Some(reading) = usual.filter(agrees) {
        return Ok(reading);
    }
    let (negative, positive) = match (found, own) {
        ([_, _], Some(own)) => (1 - own, own),
        ([first, second], None) => {
            if first.sorts(second).is_lt() {
                (0, 1)
            } else {
                (1, 0)
            }
        }
        ([only], _) => return Err(Error::OnlyLabel { row: only.row, value: only.text.clone() }),
        _ => {
            let third = found.get(2).or(found.last());
            let (value, row) = third.map_or((String::new(), 0), |one| (one.text.clone(), one.row));
            return Err(Error::ThirdLabel { row, value });
        }
    };
    let name = |at: usize| found[at].text.clone();
    let (rule, why) = match own {
        Some(_) => (Rule::Names, "as the column is named"),
        None => (Rule::Sorted, "the second in sorted order"),
    };
    let remark =
        format!("labels: class 1 is {}, {why}; class 0 is {}", name(positive), name(negative));
    Ok(Reading {
        codes: (0..2).map(|at| usize::from(at == positive)).collect(),
        classes: vec![name(negative), name(positive)],
        rule,
        remark: Some(remark),
    })
}
