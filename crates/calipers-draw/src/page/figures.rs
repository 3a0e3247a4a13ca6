//! Figures within a page: the drawing, its numbers for hovering and copying, and buttons.

use calipers::Figure;
use serde_json::Value;

use super::Page;
use crate::escape::{escape, json, shorten};
use crate::number::compact;
use crate::svg::{Drawing, Size};

impl Page<'_> {
    /// A figure with a heading (markup), as large as asked for.
    pub(super) fn figure(
        &mut self,
        figure: &Figure,
        heading: &str,
        size: Size,
        caption: bool,
    ) -> String {
        let identifier = self.identifier("f");
        let drawing = Drawing {
            figure,
            size,
            identifier: &identifier,
            optional: true,
            legend: size != Size::SMALL,
            alone: false,
        };
        let layers = figure.panels.iter().flat_map(|panel| &panel.layers);
        let toggles: String = layers
            .filter(|layer| layer.optional)
            .map(|layer| {
                format!(
                    "<button type=\"button\" data-layer aria-pressed=\"false\" hidden>{}</button>",
                    escape(&layer.name)
                )
            })
            .collect();
        let words = if caption { escape(&figure.caption) } else { String::new() };
        format!(
            "<figure data-figure id=\"{identifier}\"><h3>{heading}</h3>{}<div class=\"tools\"><output></output>\
             {toggles}<button type=\"button\" data-copy hidden>Copy as CSV</button></div>\
             <figcaption>{words}</figcaption><script type=\"application/json\">{}</script></figure>\n",
            drawing.draw(),
            json(&numbers(figure)),
        )
    }
}

/// The figure's numbers with the digits that a drawing shows, without what is on the page already.
fn numbers(figure: &Figure) -> Value {
    let mut value = figure.to_json();
    if let Some(fields) = value.as_object_mut() {
        fields.remove("caption");
    }
    shrink(&mut value);
    value
}

fn shrink(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(exact) = number.as_f64().filter(|_| number.is_f64()) {
                *value = Value::from(compact(exact));
            }
        }
        Value::String(text) => *text = shorten(text, 80),
        Value::Array(items) => items.iter_mut().for_each(shrink),
        Value::Object(fields) => fields.values_mut().for_each(shrink),
        _ => {}
    }
}
