//! Several models in one diagram.

use super::reliability::identity;
use super::{Axis, Figure, Layer, Mark, Panel, Role};

/// Lays the diagrams of several models over each other: each one's g and band, and the densities as
/// lines.
pub(crate) fn overlay(models: &[String], diagrams: &[&Figure]) -> Option<Figure> {
    let first = diagrams.first()?;
    let (mut bands, mut lines, mut densities) = (Vec::new(), Vec::new(), Vec::new());
    for (series, (name, figure)) in models.iter().zip(diagrams).enumerate() {
        let layer = |role: Role, what: String| {
            let own = figure.layer(role)?;
            Some(Layer::new(what, role, own.mark.clone()).of_series(series))
        };
        bands.extend(layer(Role::Band, format!("{name}: 95 % band")));
        lines.extend(layer(Role::Truth, name.clone()));
        if let Some(Mark::Bars { edges, top, .. }) =
            figure.layer(Role::Density).map(|layer| &layer.mark)
        {
            let middle = edges.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
            let mark = Mark::Line { x: middle, y: top.clone() };
            densities.push(Layer::new(name.clone(), Role::Density, mark).of_series(series));
        }
    }
    let heights = densities.iter().flat_map(|layer| match &layer.mark {
        Mark::Line { y, .. } => y.clone(),
        _ => Vec::new(),
    });
    let axis = Axis::around("share", heights);
    let mut layers = vec![identity()];
    layers.extend(bands);
    layers.extend(lines);
    Some(Figure {
        title: "The models together".to_owned(),
        caption: "Each curve is a model's g with its 95 % band, as in the single diagrams."
            .to_owned(),
        x: first.x.clone(),
        panels: vec![
            Panel::new(Axis::unit("how often the prediction comes true"), 4.0, layers),
            Panel::new(axis, 1.0, densities),
        ],
    })
}
