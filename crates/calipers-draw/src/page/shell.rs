//! What every page has around its body: the template, the style sheet and the script.

use crate::escape::{escape, shorten};

const PAGE: &str = include_str!("page.html");
pub(super) const STYLE: &str = include_str!("style.css");
pub(super) const SCRIPT: &str = include_str!("script.js");

/// The SHA-256 hashes of [`STYLE`] and [`SCRIPT`], by which the page's policy knows them. A test
/// computes them again.
pub(super) const STYLE_HASH: &str = include_str!("style.sha256");
pub(super) const SCRIPT_HASH: &str = include_str!("script.sha256");

/// A page of so long a title, shortened; `files` and `body` are markup that was made safe.
pub fn page(title: &str, files: &str, body: &str) -> String {
    let title = escape(&shorten(title, 100));
    let parts: [(&str, &str); 7] = [
        ("style-hash", STYLE_HASH.trim()),
        ("script-hash", SCRIPT_HASH.trim()),
        ("title", &title),
        ("style", STYLE),
        ("files", files),
        ("body", body),
        ("script", SCRIPT),
    ];
    // One pass over the template: what is filled in is never looked at again.
    let mut html = String::new();
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        html.push_str(before);
        let Some((key, after)) = after.split_once("}}") else { break };
        let part = parts.iter().find(|(name, _)| *name == key);
        html.push_str(part.map_or("", |(_, text)| text));
        rest = after;
    }
    html.push_str(rest);
    html
}
