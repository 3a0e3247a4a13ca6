//! A figure as SVG.
//!
//! Every mark has the classes of its role (`truth`, `band`, …) and of its series (`s0`, `s1`, …); the
//! drawing itself has no colours. What stands alone carries a style sheet for a light background
//! within; in a page the page's own applies.

mod mark;
mod ticks;

use calipers::{Axis, Figure, Layer, Panel, Role};

use crate::escape::{escape, isolated, shorten};
use crate::number::place;

/// The style sheet of drawings that stand alone.
const LIGHT: &str = include_str!("light.css");

/// The width of a letter relative to the font's size, on average.
const LETTER: f64 = 0.56;
const FONT: f64 = 13.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const BOTTOM: f64 = 46.0;
const GAP: f64 = 16.0;
const LINE: f64 = 20.0;

/// How large a drawing is, in units of about a pixel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

impl Size {
    /// For a reliability diagram.
    pub const TALL: Self = Self { width: 460.0, height: 500.0 };
    /// For where the error comes from.
    pub const WIDE: Self = Self { width: 460.0, height: 300.0 };
    /// For one of several beside each other.
    pub const SMALL: Self = Self { width: 320.0, height: 330.0 };
}

/// Draws a figure that stands alone, with its optional layers or without.
pub fn svg(figure: &Figure, size: Size, optional: bool) -> String {
    Drawing { figure, size, identifier: "c", optional, legend: true, alone: true }.draw()
}

/// How a figure is to be drawn.
pub(crate) struct Drawing<'a> {
    pub figure: &'a Figure,
    pub size: Size,
    /// What the names of patterns start with: unique within a page.
    pub identifier: &'a str,
    /// Whether optional layers are drawn.
    pub optional: bool,
    /// Whether the looks are explained.
    pub legend: bool,
    /// Whether the drawing carries its own style sheet.
    pub alone: bool,
}

/// Where the numbers of a panel lie.
pub(crate) struct Scale<'a> {
    x: &'a Axis,
    y: &'a Axis,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Scale<'_> {
    pub fn x(&self, value: f64) -> f64 {
        let way = (value - self.x.from) / (self.x.to - self.x.from);
        self.left + way * (self.right - self.left)
    }

    pub fn y(&self, value: f64) -> f64 {
        let way = (value - self.y.from) / (self.y.to - self.y.from);
        self.bottom - way * (self.bottom - self.top)
    }
}

impl Drawing<'_> {
    /// The whole drawing.
    pub fn draw(&self) -> String {
        let Self { figure, size: Size { width, height }, .. } = self;
        let (legend, below) = if self.legend { self.legend() } else { (String::new(), 10.0) };
        let right = width - RIGHT;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-label=\"{}\"",
            escape(&figure.title)
        );
        if self.alone {
            text.push_str(&format!(
                " width=\"{width}\" height=\"{height}\"><style>{LIGHT}</style>\
                 <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>"
            ));
        } else {
            text.push_str(&format!(
                " data-x=\"{LEFT} {right} {} {}\">",
                figure.x.from, figure.x.to
            ));
        }
        text.push_str(&self.patterns());
        text.push_str(&legend);
        let shares: f64 = figure.panels.iter().map(|panel| panel.share).sum();
        let gaps = GAP * figure.panels.len().saturating_sub(1) as f64;
        let room = height - below - BOTTOM - gaps;
        let mut top = below;
        for (number, panel) in figure.panels.iter().enumerate() {
            let bottom = top + room * panel.share / shares;
            let scale = Scale { x: &figure.x, y: &panel.y, left: LEFT, right, top, bottom };
            let last = number + 1 == figure.panels.len();
            text.push_str(&self.panel(panel, &scale, last));
            top = bottom + GAP;
        }
        let label = shorten(&figure.x.label, (0.9 * (right - LEFT) / FONT / LETTER) as usize);
        text.push_str(&format!(
            "<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            place(0.5 * (LEFT + right)),
            place(height - 8.0),
            escape(&isolated(&label))
        ));
        text.push_str("</svg>");
        text
    }

    fn panel(&self, panel: &Panel, scale: &Scale<'_>, last: bool) -> String {
        let Scale { left, right, top, bottom, y, .. } = scale;
        let mut text = format!(
            "<g class=\"panel\" data-y=\"{} {} {} {}\">",
            place(*top),
            place(*bottom),
            y.from,
            y.to
        );
        // A low panel has room for few numbers.
        let wanted = ((bottom - top) / 45.0).clamp(2.0, 6.0) as usize;
        for tick in ticks::ticks(y.from, y.to, wanted) {
            let at = place(scale.y(tick.value));
            text.push_str(&format!(
                "<path class=\"grid\" d=\"M{left} {at}H{right}\"/><text class=\"tick\" x=\"{}\" y=\"{at}\" \
                 dy=\"4.5\" text-anchor=\"end\">{}</text>",
                left - 6.0,
                tick.text
            ));
        }
        for tick in ticks::ticks(scale.x.from, scale.x.to, 5) {
            let at = place(scale.x(tick.value));
            text.push_str(&format!(
                "<path class=\"grid\" d=\"M{at} {}V{}\"/>",
                place(*top),
                place(*bottom)
            ));
            if last {
                text.push_str(&format!(
                    "<text class=\"tick\" x=\"{at}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                    place(bottom + 17.0),
                    tick.text
                ));
            }
        }
        for layer in panel.layers.iter().filter(|layer| self.optional || !layer.optional) {
            text.push_str(&mark::draw(layer, scale, self.identifier));
        }
        if y.from < 0.0 && y.to > 0.0 {
            let at = place(scale.y(0.0));
            text.push_str(&format!("<path class=\"axis\" d=\"M{left} {at}H{right}\"/>"));
        }
        text.push_str(&format!(
            "<path class=\"axis\" d=\"M{left} {}V{}H{right}\"/>",
            place(*top),
            place(*bottom)
        ));
        let middle = place(0.5 * (top + bottom));
        let room = ((bottom - top + 2.0 * GAP) / FONT / LETTER).max(8.0) as usize;
        text.push_str(&format!(
            "<text class=\"label\" transform=\"translate(14 {middle})rotate(-90)\" \
             text-anchor=\"middle\">{}</text></g>",
            escape(&isolated(&shorten(&y.label, room)))
        ));
        text
    }

    /// What the looks stand for, in as many lines as it takes; and where the panels may start.
    fn legend(&self) -> (String, f64) {
        let mut seen: Vec<(&str, Role, usize)> = Vec::new();
        let mut text = String::new();
        let (mut x, mut line) = (LEFT, 0.0);
        for layer in self.figure.panels.first().map_or(&[][..], |panel| &panel.layers) {
            let Layer { name, role, series, optional, .. } = layer;
            let several = self.figure.panels[0].layers.iter().any(|layer| layer.series > 0);
            // With several models the bands speak for themselves.
            let known = seen.contains(&(name, *role, *series)) || (several && *role == Role::Band);
            if known || (*optional && !self.optional) {
                continue;
            }
            seen.push((name, *role, *series));
            let short = shorten(name, 30);
            let wide = 30.0 + 12.0 * LETTER * short.chars().count() as f64;
            if x > LEFT && x + wide > self.size.width {
                (x, line) = (LEFT, line + 1.0);
            }
            let y = 16.0 + LINE * line;
            let classes = mark::classes(layer);
            let fill = mark::fill(layer, self.identifier);
            let sample = match layer.mark {
                calipers::Mark::Line { .. } => {
                    format!("<path class=\"{classes}\" d=\"M{x} {y}h18\"/>")
                }
                calipers::Mark::Points { .. } => {
                    format!("<circle class=\"{classes}\" cx=\"{}\" cy=\"{y}\" r=\"4\"/>", x + 9.0)
                }
                _ => format!("<path class=\"{classes}\"{fill} d=\"M{x} {}h18v11h-18z\"/>", y - 5.5),
            };
            let hidden = if *optional { " optional" } else { "" };
            text.push_str(&format!(
                "<g class=\"key{hidden}\">{sample}<text class=\"tick\" x=\"{}\" y=\"{}\">{}</text></g>",
                place(x + 23.0),
                place(y + 4.5),
                escape(&isolated(&short))
            ));
            x += wide + 8.0;
        }
        (text, 16.0 + LINE * (line + 1.0) - 6.0)
    }

    /// Hatching tells over- and under-confidence apart without colours.
    fn patterns(&self) -> String {
        let own = self.identifier;
        let pattern = |name: &str, turn: i32| {
            format!(
                "<pattern id=\"{own}-{name}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
                 patternTransform=\"rotate({turn})\"><path class=\"{name} ground\" d=\"M0 0h6v6h-6z\"/>\
                 <path class=\"{name} hatch\" d=\"M0 3h6\"/></pattern>"
            )
        };
        format!("<defs>{}{}</defs>", pattern("over", 0), pattern("under", 60))
    }
}

#[cfg(test)]
mod tests;
