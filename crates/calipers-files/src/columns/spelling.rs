//! Numbers that are written in ways that people read and programs do not.

/// How to mend a cell that is a number to people alone; none if it is no number to anybody.
///
/// Such a cell is refused all the same: `1,234` may be a little more than one or a little more than a
/// thousand, and only who wrote it knows.
pub fn remedy(cell: &str) -> Option<String> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    if let Some(share) = cell.trim().strip_suffix('%') {
        let share = number(&share.replace(',', "."))?;
        let fraction = (share * 1e10).round() / 1e12;
        return Some(format!("write percentages as shares of 1: {fraction}, not {cell}"));
    }
    let (whole, decimals) = cell.trim().split_once(',')?;
    let point = format!("{whole}.{decimals}");
    number(&point).map(|_| format!("write decimals with a point: {point}, not {cell}"))
}

/// How to mend numbers that are percentages by the look of them: some are above 1, none above 100.
pub fn remedy_of_all(numbers: &[f64]) -> Option<String> {
    let inside = numbers.iter().all(|number| number.is_nan() || (0.0..=100.0).contains(number));
    // A single number above 1 is rather a slip.
    let above = numbers.iter().filter(|number| **number > 1.0).count();
    (inside && 2 * above > numbers.len())
        .then(|| "if these are percentages, divide them by 100".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_read_as_a_number_has_a_remedy() {
        let cases = [
            ("12.5%", "write percentages as shares of 1: 0.125, not 12.5%"),
            ("7 %", "write percentages as shares of 1: 0.07, not 7 %"),
            ("12,5%", "write percentages as shares of 1: 0.125, not 12,5%"),
            ("0,125", "write decimals with a point: 0.125, not 0,125"),
            ("1,0", "write decimals with a point: 1.0, not 1,0"),
        ];
        for (cell, said) in cases {
            assert_eq!(remedy(cell).as_deref(), Some(said));
        }
        for cell in ["", "half", "%", "a,b", "0,1,2", "n/a"] {
            assert_eq!(remedy(cell), None, "{cell}");
        }
    }

    #[test]
    fn numbers_up_to_a_hundred_may_be_percentages() {
        assert!(remedy_of_all(&[12.5, 87.5, 0.5]).is_some());
        assert_eq!(remedy_of_all(&[0.5, 0.5, 1.5]), None);
        assert_eq!(remedy_of_all(&[12.5, 187.5]), None);
        assert_eq!(remedy_of_all(&[12.5, -1.0]), None);
    }
}
