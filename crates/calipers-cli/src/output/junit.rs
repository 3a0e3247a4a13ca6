//! Outcomes as JUnit XML, which systems for continuous integration show beside other tests.

/// One check.
pub struct Case {
    /// What was checked.
    pub name: String,
    /// Why it failed, if it did.
    pub failure: Option<String>,
    /// What was found.
    pub output: String,
}

/// A file of one suite, named after what was checked.
pub fn suite(name: &str, cases: &[Case]) -> String {
    let failures = cases.iter().filter(|case| case.failure.is_some()).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites>\n  \
         <testsuite name=\"calipers check {}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\">\n",
        escape(name),
        cases.len()
    );
    for case in cases {
        text.push_str(&format!(
            "    <testcase classname=\"calipers.check\" name=\"{}\">\n",
            escape(&case.name)
        ));
        if let Some(failure) = &case.failure {
            text.push_str(&format!("      <failure message=\"{}\"/>\n", escape(failure)));
        }
        text.push_str(&format!("      <system-out>{}</system-out>\n", escape(&case.output)));
        text.push_str("    </testcase>\n");
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

/// XML's five characters as entities; control characters, which XML cannot hold, as `?`.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            control if control.is_control() || matches!(control, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('?');
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_their_places() {
        let case = Case {
            name: "l1 <= 0.02".to_owned(),
            failure: Some("a \"quote\" & a \u{0}".to_owned()),
            output: "]]>".to_owned(),
        };
        let text = suite("<script>.csv", &[case]);
        assert!(
            text.contains("name=\"calipers check &lt;script&gt;.csv\" tests=\"1\" failures=\"1\"")
        );
        assert!(text.contains("<failure message=\"a &quot;quote&quot; &amp; a ?\"/>"));
        assert!(text.contains("<system-out>]]&gt;</system-out>"));
        assert_eq!(text.matches('<').count(), text.matches('>').count());
    }
}
