use calipers::{Estimator, Figure, Predictions, View, recalibrator};

use super::*;

fn tiny(names: [&str; 2]) -> Figure {
    let f = [0.05, 0.2, 0.3, 0.45, 0.6, 0.7, 0.85, 0.95];
    let predictions = Predictions::binary(&f, &[0, 1, 0, 0, 1, 1, 0, 1]).unwrap();
    let predictions = predictions.with_class_names(names).unwrap();
    let estimator = Estimator::new().recalibrator(recalibrator("bins-width").unwrap()).folds(2);
    estimator.reliability(&predictions, View::Class(1)).unwrap()
}

#[test]
fn a_tiny_figure_is_drawn_as_before() {
    insta::assert_snapshot!(svg(&tiny(["no", "yes"]), Size::TALL, true));
}

#[test]
fn names_cannot_leave_their_place() {
    let drawn = svg(&tiny(["no", "</text><script>\"'&"]), Size::TALL, true);
    assert!(!drawn.contains("<script"));
    assert!(drawn.contains("&lt;/text&gt;&lt;script&gt;&quot;&#39;&amp;"));
    let long = "x".repeat(10_000);
    let drawn = svg(&tiny(["no", &long]), Size::TALL, false);
    assert!(drawn.len() < 20_000 && drawn.contains("xxx…"));
    let mixed = svg(&tiny(["no", "\u{202e}שלום"]), Size::TALL, false);
    assert!(mixed.contains('\u{2068}') && mixed.contains('\u{2069}'));
}

#[test]
fn optional_layers_are_drawn_on_request() {
    let figure = tiny(["no", "yes"]);
    assert!(!svg(&figure, Size::TALL, false).contains("circle"));
    assert!(svg(&figure, Size::TALL, true).contains("circle"));
}
