//! Outcomes as JUnit XML, which systems for continuous integration show beside other tests.

use calipers::GroupErrors;

use super::Outcome;
use super::report::too_small;
use crate::escape::escape;

/// A file of one suite, named after what was checked; every limit is a test, of all rows and of each
/// group. The groups that are too small to say anything are one test, which was skipped.
pub fn junit(name: &str, outcomes: &[Outcome], groups: Option<&GroupErrors>) -> String {
    let failures = outcomes.iter().filter(|one| one.failed()).count();
    let small = groups.and_then(too_small);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites>\n  \
         <testsuite name=\"calipers check {}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\"{}>\n",
        escape(name),
        outcomes.len() + usize::from(small.is_some()),
        if small.is_some() { " skipped=\"1\"" } else { "" }
    );
    for one in outcomes {
        let sentence = escape(&one.sentence());
        text.push_str(&format!(
            "    <testcase classname=\"calipers.check\" name=\"{}\">\n",
            escape(&format!("{} <= {}", one.name(), one.limit))
        ));
        if one.failed() {
            text.push_str(&format!("      <failure message=\"{sentence}\"/>\n"));
        }
        text.push_str(&format!("      <system-out>{sentence}</system-out>\n"));
        text.push_str("    </testcase>\n");
    }
    if let Some(small) = small {
        text.push_str(&format!(
            "    <testcase classname=\"calipers.check\" name=\"groups with too few rows\">\n      \
             <skipped message=\"{}\"/>\n    </testcase>\n",
            escape(&small)
        ));
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn names_cannot_break_out_of_their_places() {
        let outcome = Outcome {
            group: None,
            metric: "a \"quote\" & a \u{0} ]]>".to_owned(),
            limit: 0.02,
            value: 0.1,
            lower: 0.05,
            verdict: Verdict::Above,
            rows: None,
        };
        let text = junit("<script>.csv", &[outcome], None);
        assert!(
            text.contains("name=\"calipers check &lt;script&gt;.csv\" tests=\"1\" failures=\"1\"")
        );
        assert!(text.contains("name=\"a &quot;quote&quot; &amp; a \u{fffd} ]]&gt; &lt;= 0.02\""));
        assert!(text.contains("<failure message=\"above the limit by at least 0.0300\"/>"));
        assert!(text.contains("<system-out>above the limit by at least 0.0300</system-out>"));
        assert_eq!(text.matches('<').count(), text.matches('>').count());
    }
}
