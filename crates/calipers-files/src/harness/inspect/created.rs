//! When a log was begun, as ISO 8601 has it: logs of several machines say it at several distances from UTC.

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const MICROSECONDS: i64 = 1_000_000;

/// The time in letters that sort as times do; what is no time is before all others.
pub fn sortable(created: &str) -> String {
    // From the year 0 on, so that no number is below 0.
    let first = days(0, 1, 1) * DAY * MICROSECONDS;
    microseconds(created).map_or_else(String::new, |time| format!("{:020}", time - first))
}

/// Microseconds since 1970; a time that does not say how far from UTC it is counts as one there.
fn microseconds(created: &str) -> Option<i64> {
    let (date, time) = created.trim().split_once(['T', ' ']).unwrap_or((created.trim(), ""));
    let [year, month, day] = numbers(date, '-')?;
    if !(0..10_000).contains(&year) || !(1..13).contains(&month) || !(1..32).contains(&day) {
        return None;
    }
    let (time, distance) = match time.rfind(['+', '-', 'Z']) {
        Some(at) => time.split_at_checked(at)?,
        None => (time, ""),
    };
    let (clock, part) = time.split_once('.').unwrap_or((time, ""));
    let [hour, minute, second] = numbers(clock, ':')?;
    let seconds = days(year, month, day) * DAY + hour * HOUR + minute * MINUTE + second;
    Some((seconds - ahead(distance)?) * MICROSECONDS + fraction(part)?)
}

/// Up to three numbers of two digits, or four; those that are not there are 0.
fn numbers(text: &str, between: char) -> Option<[i64; 3]> {
    let mut found = [0; 3];
    let mut parts = text.split(between).filter(|part| !part.is_empty());
    for (to, part) in found.iter_mut().zip(parts.by_ref()) {
        let is_number = part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        *to = part.parse().ok().filter(|_| is_number)?;
    }
    parts.next().is_none().then_some(found)
}

/// How many seconds a place is ahead of UTC: `+02:00`, `-0500`, `Z` or nothing.
fn ahead(distance: &str) -> Option<i64> {
    let (sign, rest) = match distance.split_at_checked(1) {
        None | Some(("Z", "")) => return Some(0),
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        Some(_) => return None,
    };
    let digits = rest.replace(':', "");
    let (hours, minutes) = digits.split_at_checked(2)?;
    let [hours, minutes, _] = numbers(&format!("{hours}:{minutes}"), ':')?;
    Some(sign * (hours * HOUR + minutes * MINUTE))
}

/// Microseconds, of the digits behind a point.
fn fraction(digits: &str) -> Option<i64> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    format!("{digits:0<6}").get(..6)?.parse().ok()
}

/// Days since 1970, in years that begin in March, so that a leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month < 3 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // Days from the first of March of the year 0 to the first of January of 1970.
    365 * year + leap + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_utc() {
        // `date -u -d ... +%s` has the same.
        for (text, seconds) in [
            ("1970-01-01T00:00:00+00:00", 0),
            ("2000-02-29T23:59:59Z", 951_868_799),
            ("2026-01-31", 1_769_817_600),
            ("2026-01-31T12:00:00+02:00", 1_769_853_600),
            ("2026-01-31T11:00:00-0500", 1_769_875_200),
            ("2026-01-31 11:00", 1_769_857_200),
            ("1969-12-31T23:30:00-00:30", 0),
        ] {
            assert_eq!(microseconds(text), Some(seconds * MICROSECONDS), "{text}");
        }
        assert_eq!(microseconds("1970-01-01T00:00:00.25+00:00"), Some(250_000));
        assert_eq!(microseconds("1970-01-01T00:00:00.1234567Z"), Some(123_456));
    }

    #[test]
    fn what_is_no_time_is_before_all() {
        for text in ["", "yesterday", "2026-13-01", "2026-01-31T1é", "2026-01-31T11:00:00+é"] {
            assert_eq!(sortable(text), "", "{text}");
        }
        let order =
            ["", "0000-01-01", "1969-12-31", "2026-01-31T12:00:00+02:00", "2026-01-31T11:00:00"];
        let sorted: Vec<String> = order.iter().map(|text| sortable(text)).collect();
        assert!(sorted.is_sorted(), "{sorted:?}");
    }
}
