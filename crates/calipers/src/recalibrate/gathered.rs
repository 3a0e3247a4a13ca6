//! The rarest of very many classes taken as one, where a map of all would cost too much.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Fitted, ModelState};
use crate::data::Sample;
use crate::error::{Error, Result};
use crate::loss::Purpose;
use crate::run::stop;
use crate::words::thousands;

/// The name under which it is saved.
pub(super) const NAME: &str = "gathered";

/// A g of the most frequent classes and of all others together, which share their part as they do in f.
///
/// With r the sum of f over the others, the g inside sees (f of each frequent class, r). A frequent class is
/// given what it says, and another one its share f_c/r of what it says of the others; where f leaves them
/// nothing, all have the same. If the g inside is the identity, so is this one. How frequent a class is, is
/// told by the labels and by f. Cost: that of the g inside for so many classes, and n·k.
pub(super) struct Gathered {
    classes: usize,
    /// The frequent classes, ascending.
    kept: Vec<u32>,
    inner: Box<dyn Fitted>,
}

impl Gathered {
    /// Learns a g of so many classes at most, the last of them all others.
    pub fn fit(
        sample: &Sample,
        most: usize,
        learn: impl FnOnce(&Sample) -> Box<dyn Fitted>,
    ) -> Self {
        let kept = most_frequent(sample, most - 1);
        let classes = sample.classes();
        let place = places(&kept, classes);
        let gathered = sample.mapped(
            |f| gather(f, &kept, &place),
            |label| place[label as usize].unwrap_or(kept.len()) as u32,
        );
        Self { classes, inner: learn(&gathered), kept }
    }

    /// Writes what the g inside makes of each row.
    fn spread(&self, f: ArrayView2<'_, f64>, inner: &Array2<f64>, mut g: ArrayViewMut2<'_, f64>) {
        let place = places(&self.kept, self.classes);
        let others = (self.classes - self.kept.len()) as f64;
        let rows = f.rows().into_iter().zip(inner.rows()).zip(g.rows_mut()).enumerate();
        for (row, ((f, inner), mut g)) in rows {
            if stop::requested_at(row) {
                break;
            }
            let of_others = place.iter().zip(f).filter(|(place, _)| place.is_none());
            let (rest, theirs) = (of_others.map(|(_, p)| p).sum::<f64>(), inner[self.kept.len()]);
            for ((g, &f), place) in g.iter_mut().zip(f).zip(&place) {
                *g = match place {
                    Some(place) => inner[*place],
                    None if rest > 0.0 => theirs * (f / rest),
                    None => theirs / others,
                };
            }
        }
    }

    fn gathered(&self, f: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        if f.ncols() != self.classes {
            let (expected, found) = (self.classes, f.ncols());
            return Err(Error::Length { what: "classes of the model", expected, found });
        }
        let place = places(&self.kept, self.classes);
        let f = f.as_standard_layout();
        let mut table = Array2::zeros((f.nrows(), self.kept.len() + 1));
        for (f, mut to) in f.rows().into_iter().zip(table.rows_mut()) {
            let row = gather(f.as_slice().unwrap_or_default(), &self.kept, &place);
            to.iter_mut().zip(row).for_each(|(to, p)| *to = p);
        }
        Ok(table)
    }
}

/// The classes with the most weight, in the labels and in f together, ascending.
fn most_frequent(sample: &Sample, count: usize) -> Vec<u32> {
    let mut mass = vec![0.0; sample.classes()];
    for row in 0..sample.rows() {
        let weight = sample.weight(row);
        mass.iter_mut().zip(sample.row(row)).for_each(|(mass, p)| *mass += weight * p);
        mass[sample.labels()[row] as usize] += weight;
    }
    let mut order: Vec<u32> = (0..sample.classes() as u32).collect();
    order.sort_by(|&a, &b| mass[b as usize].total_cmp(&mass[a as usize]));
    order.truncate(count);
    order.sort_unstable();
    order
}

/// Each class's place among those that are kept.
fn places(kept: &[u32], classes: usize) -> Vec<Option<usize>> {
    let mut places = vec![None; classes];
    kept.iter().enumerate().for_each(|(place, &class)| places[class as usize] = Some(place));
    places
}

/// The probabilities of the kept classes, and that of all others.
fn gather(f: &[f64], kept: &[u32], place: &[Option<usize>]) -> Vec<f64> {
    let others = f.iter().zip(place).filter(|(_, place)| place.is_none());
    let rest = others.map(|(p, _)| p).sum();
    kept.iter().map(|&class| f[class as usize]).chain([rest]).collect()
}

impl Fitted for Gathered {
    fn predict_into(
        &self,
        f: ArrayView2<'_, f64>,
        purpose: Purpose,
        mut g: ArrayViewMut2<'_, f64>,
    ) -> Result<()> {
        for table in self.predict_each(f, &[purpose])? {
            g.assign(&table);
        }
        Ok(())
    }

    fn predict_each(
        &self,
        f: ArrayView2<'_, f64>,
        purposes: &[Purpose],
    ) -> Result<Vec<Array2<f64>>> {
        let inner = self.inner.predict_each(self.gathered(f)?.view(), purposes)?;
        let spread = |inner: Array2<f64>| {
            let mut g = Array2::zeros(f.dim());
            self.spread(f, &inner, g.view_mut());
            g
        };
        let tables = inner.into_iter().map(spread).collect();
        stop::check()?;
        Ok(tables)
    }

    fn serves(&self, purpose: Purpose) -> Purpose {
        self.inner.serves(purpose)
    }

    fn converged(&self) -> bool {
        self.inner.converged()
    }

    fn approximations(&self) -> Vec<String> {
        let others = thousands(self.classes - self.kept.len());
        let mut all = vec![format!("the {others} rarest classes as one")];
        all.extend(self.inner.approximations());
        all
    }

    fn state(&self) -> Option<ModelState> {
        let ModelState { model, parameters } = self.inner.state()?;
        let (classes, kept) = (self.classes, &self.kept);
        let parameters =
            json!({ "classes": classes, "kept": kept, "model": model, "parameters": parameters });
        Some(ModelState { model: NAME, parameters })
    }
}

/// What [`Gathered::state`] holds.
#[derive(Deserialize)]
struct Saved {
    classes: usize,
    kept: Vec<u32>,
    model: String,
    parameters: Value,
}

/// The model of saved parameters, given how the one inside is loaded.
///
/// # Errors
/// Parameters that do not fit together.
pub(super) fn load(
    parameters: Value,
    load_inner: impl FnOnce(&str, Value) -> Result<Box<dyn Fitted>>,
) -> Result<Box<dyn Fitted>> {
    let unusable = |reason: String| Error::Model { reason };
    let Saved { classes, kept, model, parameters } =
        serde_json::from_value(parameters).map_err(|error| unusable(error.to_string()))?;
    let inner = load_inner(&model, parameters)?;
    let sound = kept.len() < classes
        && kept.is_sorted_by(|a, b| a < b)
        && kept.last().is_none_or(|&last| (last as usize) < classes);
    // What is inside has to take what it is given, which a row shows.
    let one = Array2::from_elem((1, kept.len() + 1), 1.0 / (kept.len() + 1) as f64);
    if !sound || inner.predict(one.view()).is_err() {
        return Err(unusable("its parameters do not fit together".to_owned()));
    }
    Ok(Box::new(Gathered { classes, kept, inner }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recalibrate::{ModelNotes, load_model, recalibrator, save_model};
    use crate::{Predictions, simulate};

    /// Ten classes, of which the three most frequent are kept: what the g inside, which sees four, says of
    /// them is said, and the others share theirs as in f.
    #[test]
    fn frequent_classes_keep_their_own_and_others_share() {
        let predictions = simulate("multiclass-overconfident-10", 600, 1).unwrap();
        let sample = Sample::from(&predictions);
        let inner = recalibrator("sms").unwrap();
        let fitted = Gathered::fit(&sample, 4, |four| inner.fit(four, 0).unwrap());
        assert_eq!(fitted.kept, most_frequent(&sample, 3));
        let f = predictions.probs();
        let g = fitted.predict(f.view()).unwrap();
        let of_four = fitted.inner.predict(fitted.gathered(f.view()).unwrap().view()).unwrap();
        for row in 0..f.nrows() {
            let is_kept = |class: usize| fitted.kept.contains(&(class as u32));
            let rest: f64 =
                (0..10).filter(|&class| !is_kept(class)).map(|class| f[[row, class]]).sum();
            for class in 0..10 {
                let place = fitted.kept.iter().position(|&kept| kept as usize == class);
                let expected = match place {
                    Some(place) => of_four[[row, place]],
                    None => of_four[[row, 3]] * f[[row, class]] / rest,
                };
                assert!((g[[row, class]] - expected).abs() < 1e-14, "{row} {class}");
            }
            // Sums of ten probabilities.
            assert!((g.row(row).sum() - 1.0).abs() < 1e-12);
        }
        assert_eq!(fitted.approximations(), ["the 7 rarest classes as one"]);
    }

    #[test]
    fn where_f_leaves_the_others_nothing_they_have_the_same() {
        let f =
            ndarray::arr2(&[[0.5, 0.5, 0.0, 0.0], [0.4, 0.2, 0.3, 0.1], [0.25, 0.75, 0.0, 0.0]]);
        let sample = Sample::from(&Predictions::new(f.clone(), &[0, 1, 1]).unwrap());
        let constant = recalibrator("constant").unwrap();
        let fitted = Gathered::fit(&sample, 3, |three| constant.fit(three, 0).unwrap());
        let g = fitted.predict(f.view()).unwrap();
        assert!((g[[0, 2]] - g[[0, 3]]).abs() < 1e-15 && g[[0, 2]] > 0.0);
        assert!((g[[1, 2]] / g[[1, 3]] - 3.0).abs() < 1e-12);
    }

    /// It is saved with the one inside, and what does not fit together is refused.
    #[test]
    fn it_is_saved_and_loaded() {
        let predictions = simulate("multiclass-overconfident-10", 200, 1).unwrap();
        let inner = recalibrator("boost").unwrap();
        let fitted =
            Gathered::fit(&Sample::from(&predictions), 5, |five| inner.fit(five, 0).unwrap());
        let text = save_model(&fitted, &ModelNotes::default()).unwrap();
        let again = load_model(&text).unwrap().fitted;
        let f = predictions.probs();
        assert_eq!(again.predict(f.view()).unwrap(), fitted.predict(f.view()).unwrap());
        let few = simulate("multiclass-overconfident-3", 5, 1).unwrap();
        assert!(again.predict(few.probs().view()).is_err());
        for (from, to) in [
            ("\"classes\":10", "\"classes\":4"),
            ("\"kept\":[", "\"kept\":[99,"),
            ("\"model\":\"boost\"", "\"model\":\"gathered\""),
        ] {
            assert!(text.contains(from), "{from}");
            // The first "model" is the whole's own.
            let at = text.rfind(from).unwrap();
            let broken = format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
            assert!(load_model(&broken).is_err(), "{to}");
        }
    }

    /// Those with a parameter for every two classes learn from thousands of them, and say what they did.
    #[test]
    fn thousands_of_classes_are_not_refused() {
        let (rows, classes) = (60, 3_000);
        let f = Array2::from_shape_fn((rows, classes), |(row, class)| {
            if class == row % 40 { 0.7 } else { 0.3 / (classes - 1) as f64 }
        });
        let labels: Vec<usize> = (0..rows).map(|row| row % 40).collect();
        let sample = Sample::from(&Predictions::new(f.clone(), &labels).unwrap());
        for name in ["matrix", "sms", "logistic", "boost:trees=2,inner=2"] {
            let fitted = recalibrator(name).unwrap().fit(&sample, 0).unwrap();
            let said = fitted.approximations();
            assert!(said[0].ends_with("rarest classes as one"), "{name}: {said:?}");
            let g = fitted.predict(f.view()).unwrap();
            assert!(g.iter().all(|g| (0.0..=1.0).contains(g)), "{name}");
            assert!(g.rows().into_iter().all(|g| (g.sum() - 1.0).abs() < 1e-9), "{name}");
            // What was observed every time is more probable than before.
            assert!(g[[0, 0]] > f[[0, 0]], "{name}: {}", g[[0, 0]]);
        }
    }
}
