use super::{Label, Reading, Rule, meaning, names};
use crate::error::{Error, Result};

/// Labels of two classes, of which only the second has a column.
pub(super) fn read(found: &[Label], column: Option<&str>) -> Result<Reading> {
    if let Some(third) = found.get(2) {
        return Err(Error::ThirdLabel { row: third.row, value: third.text.clone() });
    }
    let callings = column.map(names::callings).unwrap_or_default();
    let is_own = |label: &Label| {
        callings.iter().any(|name| meaning::named(&label.text, &[(*name).to_owned()]).is_some())
    };
    let own = found.iter().position(is_own);
    let unit = |label: &Label| {
        let number = label.whole();
        number.filter(|number| (0.0..=1.0).contains(number)).map(|number| number as usize)
    };
    let units: Option<Vec<usize>> = found.iter().map(unit).collect();
    let is_zero = |name: &&str| meaning::number(name).is_some_and(|number| number.abs() <= 0.0);
    if let Some(codes) = units.filter(|codes| own.is_none_or(|own| codes[own] == 1)) {
        // A column of 0 where no row has that label.
        if own.is_none() && callings.iter().any(is_zero) {
            return Ok(turned(found));
        }
        let column = column.unwrap_or_default();
        if own.is_none() && names::words(column).iter().any(is_zero) {
            return Err(Error::AmbiguousLabels {
                one: format!("column {column} may hold the probability of 1"),
                other: "of 0".to_owned(),
            });
        }
        return Ok(usual(found, codes));
    }
    let signs = || {
        found
            .iter()
            .all(|label| label.whole().is_some_and(|one| one.abs() >= 1.0 && one.abs() <= 1.0))
    };
    let positive = match (found, own) {
        ([only], None) if !signs() => {
            return Err(Error::OnlyLabel { row: only.row, value: only.text.clone() });
        }
        (_, Some(own)) => own,
        (_, None) if signs() => {
            found.iter().position(|label| label.whole() > Some(0.0)).unwrap_or(1)
        }
        ([first, second], None) if column.is_none() => usize::from(first.sorts(second).is_lt()),
        ([first, second], None) => {
            let column = column.unwrap_or_default();
            return Err(Error::AmbiguousLabels {
                one: format!("column {column} may hold the probability of {}", first.text),
                other: format!("of {}", second.text),
            });
        }
        _ => 0,
    };
    let name = |at: usize| found.get(at).map_or_else(String::new, |label| label.text.clone());
    let other = |at: usize| match found.len() {
        2 => name(1 - at),
        _ => format!("not {}", name(at)),
    };
    let (negative, classes) = match (found.len(), positive) {
        (1, 1) => (name(0), vec![name(0), format!("not {}", name(0))]),
        _ => (other(positive), vec![other(positive), name(positive)]),
    };
    let (rule, why) = match own {
        Some(_) => (Rule::Names, "as the column is named"),
        None => (Rule::Sorted, "the second in sorted order"),
    };
    let remark = format!("labels: class 1 is {}, {why}; class 0 is {negative}", classes[1]);
    let codes = (0..found.len()).map(|at| usize::from(at == positive)).collect();
    Ok(Reading { codes, classes, rule, remark: Some(remark) })
}

/// 0 and 1, or words for them.
fn usual(found: &[Label], codes: Vec<usize>) -> Reading {
    let truths = found.iter().all(Label::is_truth);
    let (rule, names) = match truths {
        true => (Rule::Truth, ["false", "true"]),
        false => (Rule::Positions(0), ["0", "1"]),
    };
    let mut classes = names.map(str::to_owned).to_vec();
    if truths {
        for (label, &code) in found.iter().zip(&codes) {
            classes[code] = label.text.to_lowercase();
        }
    }
    Reading { codes, classes, rule, remark: None }
}

/// Labels of 1 alone, whose column is that of 0.
fn turned(found: &[Label]) -> Reading {
    let one = found.first().map_or_else(|| "1".to_owned(), |label| label.text.clone());
    let classes = vec![one, "0".to_owned()];
    Reading { codes: vec![0; found.len()], classes, rule: Rule::Names, remark: None }
}
