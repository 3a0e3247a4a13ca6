//! Text that somebody else wrote, made harmless.

/// What a name is cut to where there is little room.
pub const SHORT: usize = 40;

/// Escapes text for element content and for attributes between double quotes. Characters that XML does
/// not have are replaced.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            letter if letter.is_control() => safe.push('\u{fffd}'),
            letter => safe.push(letter),
        }
    }
    safe
}

/// The first letters, and an ellipsis if there are more.
pub fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// A name in its own direction, shortened, with more of it on hovering.
pub fn name(text: &str, most_hover: usize) -> String {
    let short = shorten(text, SHORT);
    if short == text {
        return format!("<bdi>{}</bdi>", escape(text));
    }
    let full = escape(&shorten(text, most_hover));
    format!("<bdi title=\"{full}\">{}</bdi>", escape(&short))
}

/// A name within SVG text, where there is no `bdi`: between marks that isolate its direction.
pub fn isolated(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { format!("\u{2068}{text}\u{2069}") }
}

/// JSON that may stand within a `script` element: no `<` that could end it.
pub fn json(value: &serde_json::Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_written_becomes_markup() {
        assert_eq!(
            escape("<script>alert('1' & \"2\")</script>\u{0}"),
            "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)&lt;/script&gt;\u{fffd}"
        );
        let json = json(&serde_json::json!("</script><!--&"));
        assert!(!json.contains(['<', '>', '&']));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), "</script><!--&");
    }

    #[test]
    fn long_names_are_cut_between_letters() {
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüß", 3), "äö…");
        let long = name(&"é".repeat(10_000), 10_000);
        assert!(long.starts_with("<bdi title=\"éé") && long.ends_with("é…</bdi>"));
        assert_eq!(name("cat", 100), "<bdi>cat</bdi>");
    }
}
