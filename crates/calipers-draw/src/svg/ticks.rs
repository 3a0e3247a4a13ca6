//! Round numbers along an axis.

/// A round number and how it is written.
pub struct Tick {
    pub value: f64,
    pub text: String,
}

/// About so many round numbers between two ends: multiples of 1, 2 or 5 times a power of 10.
pub fn ticks(from: f64, to: f64, wanted: usize) -> Vec<Tick> {
    let range = to - from;
    if !(range > 0.0 && range.is_finite()) {
        return Vec::new();
    }
    let rough = range / wanted.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = power
        * [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= 0.999 * rough).unwrap_or(10.0);
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    let first = (from / step - 1e-9).ceil() as i64;
    let last = (to / step + 1e-9).floor() as i64;
    (first..=last)
        .map(|number| {
            let value = number as f64 * step;
            let text = if number == 0 { "0".to_owned() } else { format!("{value:.decimals$}") };
            Tick { value, text }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let texts = |from, to, wanted| -> Vec<String> {
            ticks(from, to, wanted).into_iter().map(|tick| tick.text).collect()
        };
        assert_eq!(texts(0.0, 1.0, 5), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(-0.003, 0.012, 4), ["0", "0.005", "0.010"]);
        assert_eq!(texts(0.0, 0.42, 1), ["0"]);
        assert_eq!(texts(0.0, 0.0, 5), [] as [String; 0]);
    }
}
