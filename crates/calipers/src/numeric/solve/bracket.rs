use crate::run::stop;

/// The relative width of the bracket at which the root is taken as found.
const WIDTH: f64 = 1e-15;

const MOST_STEPS: usize = 200;

/// Finds where an increasing function crosses 0, by Newton's method kept inside a bracket.
///
/// `function` gives value and slope. A function that does not cross 0 in the bracket yields the
/// end where it is nearest to 0. Stops at |value| ≤ `tolerance` or when the bracket has shrunk to
/// rounding; about 8 evaluations, 60 at the very worst.
pub(crate) fn increasing_root(
    mut function: impl FnMut(f64) -> (f64, f64),
    (mut low, mut high): (f64, f64),
    start: f64,
    tolerance: f64,
) -> f64 {
    let mut at = start.clamp(low, high);
    // The ends are looked at only when a Newton step wants to leave through them: far out, the
    // function of a logistic fit is flat and tells nothing.
    let (mut low_seen, mut high_seen) = (false, false);
    for _ in 0..MOST_STEPS {
        let (value, slope) = function(at);
        if value.abs() <= tolerance {
            return at;
        }
        if value > 0.0 {
            (high, high_seen) = (at, true);
        } else {
            (low, low_seen) = (at, true);
        }
        let newton = at - value / slope;
        let middle = 0.5 * (low + high);
        at = if newton > low && newton < high {
            newton
        } else if value > 0.0 && !low_seen {
            let (end, _) = function(low);
            low_seen = true;
            if end >= 0.0 {
                return low;
            }
            middle
        } else if value < 0.0 && !high_seen {
            let (end, _) = function(high);
            high_seen = true;
            if end <= 0.0 {
                return high;
            }
            middle
        } else {
            middle
        };
        if high - low <= WIDTH * (low.abs() + high.abs()) || stop::requested() {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_roots_inside_and_ends_outside() {
        let cubic = |x: f64| (x.powi(3) - 2.0, 3.0 * x * x);
        let root = increasing_root(cubic, (-16.0, 16.0), 0.0, 1e-15);
        assert!((root - 2f64.cbrt()).abs() < 1e-14, "{root}");
        let above = increasing_root(|x| (x + 100.0, 1.0), (-16.0, 16.0), 0.0, 1e-12);
        assert!((above + 16.0).abs() < 1e-15, "{above}");
        let below = increasing_root(|x| (x - 100.0, 1.0), (-16.0, 16.0), 0.0, 1e-12);
        assert!((below - 16.0).abs() < 1e-15, "{below}");
    }

    #[test]
    fn a_flat_function_does_not_lead_it_astray() {
        // Newton's steps from the flat side point far outside the bracket.
        let step = |x: f64| ((10.0 * (x - 3.0)).tanh(), 10.0 / (10.0 * (x - 3.0)).cosh().powi(2));
        let root = increasing_root(step, (-16.0, 16.0), 0.0, 1e-12);
        assert!((root - 3.0).abs() < 1e-12, "{root}");
    }
}
