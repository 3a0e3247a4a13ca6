//! The marks of a layer.

use calipers::{Layer, Mark, Role};

use super::Scale;
use crate::number::place;

/// The classes by which a style sheet finds a layer.
pub fn classes(layer: &Layer) -> String {
    let kind = match layer.mark {
        Mark::Line { .. } => "line",
        Mark::Area { .. } => "area",
        Mark::Bars { .. } => "bars",
        _ => "points",
    };
    format!("{kind} {} s{}", role(layer.role), layer.series % 8)
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Truth => "truth",
        Role::Band => "band",
        Role::Identity => "identity",
        Role::Over => "over",
        Role::Under => "under",
        Role::Density => "density",
        _ => "bins",
    }
}

/// The pattern that fills a layer, where it has one.
pub fn fill(layer: &Layer, identifier: &str) -> String {
    match (layer.role, &layer.mark) {
        (Role::Over | Role::Under, Mark::Area { .. } | Mark::Bars { .. }) => {
            format!(" fill=\"url(#{identifier}-{})\"", role(layer.role))
        }
        _ => String::new(),
    }
}

/// The layer as elements.
pub fn draw(layer: &Layer, scale: &Scale<'_>, identifier: &str) -> String {
    let (classes, fill) = (classes(layer), fill(layer, identifier));
    let hidden = if layer.optional { " optional" } else { "" };
    let point = |(&x, &y): (&f64, &f64)| format!("{} {}", place(scale.x(x)), place(scale.y(y)));
    match &layer.mark {
        Mark::Line { x, y } => {
            let points: Vec<String> = x.iter().zip(y).map(point).collect();
            format!("<path class=\"{classes}\" d=\"M{}\"/>", points.join("L"))
        }
        Mark::Area { x, low, high } => {
            let there = x.iter().zip(high).map(point);
            let back = x.iter().zip(low).rev().map(point);
            let points: Vec<String> = there.chain(back).collect();
            format!("<path class=\"{classes}\"{fill} d=\"M{}Z\"/>", points.join("L"))
        }
        Mark::Bars { edges, base, top } => {
            let mut path = String::new();
            for (pair, (base, top)) in edges.windows(2).zip(base.iter().zip(top)) {
                if (top - base).abs() > 0.0 {
                    path.push_str(&format!(
                        "M{} {}H{}V{}H{}Z",
                        place(scale.x(pair[0])),
                        place(scale.y(*base)),
                        place(scale.x(pair[1])),
                        place(scale.y(*top)),
                        place(scale.x(pair[0])),
                    ));
                }
            }
            format!("<path class=\"{classes}\"{fill} d=\"{path}\"/>")
        }
        Mark::Points { x, y, weight } => {
            let circles: String = x
                .iter()
                .zip(y)
                .zip(weight)
                .map(|((&x, &y), weight)| {
                    format!(
                        "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
                        place(scale.x(x)),
                        place(scale.y(y)),
                        place(2.5 + 4.0 * weight.max(0.0).sqrt())
                    )
                })
                .collect();
            format!("<g class=\"{classes}{hidden}\">{circles}</g>")
        }
        _ => String::new(),
    }
}
