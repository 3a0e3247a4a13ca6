use rand::Rng;

/// A distribution of a few outcomes, from which one is drawn by a look into a table.
///
/// As many slots as there are outcomes, filled up to a power of 2, are equally likely, and each is shared
/// by its own outcome and one other. The first bits of a random word choose the slot, the others the
/// outcome; where 32 bits cannot tell, another 32 decide. An outcome of probability 0 is never drawn.
///
/// ## Reference
/// Walker, *An efficient method for generating discrete random variables with general distributions*,
/// 1977; Vose, *A linear algorithm for generating random numbers with a given distribution*, 1991.
pub(super) struct Alias {
    /// The number of slots is 2 to this.
    bits: u32,
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    /// How much of the slot is its own outcome's: as many binary digits as are left of the first word, and
    /// 32 more.
    share: (u32, u32),
    /// Whose the rest is, and its own: looked up, because a branch would be mispredicted half the time.
    outcomes: [u32; 2],
}

impl Alias {
    /// Of probabilities that add up to 1, but for rounding.
    pub fn new(probabilities: &[f64]) -> Self {
        let size = probabilities.len().next_power_of_two();
        let mut slots = vec![Slot::default(); size];
        // How much each outcome has still to be given, in slots.
        let mut left: Vec<f64> = probabilities.iter().map(|p| p * size as f64).collect();
        left.resize(size, 0.0);
        // Outcomes of less than a slot, then the others.
        let mut order: Vec<usize> = (0..size).filter(|&outcome| left[outcome] < 1.0).collect();
        let mut border = order.len();
        order.extend((0..size).filter(|&outcome| left[outcome] >= 1.0));
        let bits = size.trailing_zeros();
        let mut next = 0;
        while next < border && border < size {
            let (poor, rich) = (order[next], order[border]);
            slots[poor] = Slot::new(left[poor], [rich, poor], bits);
            left[rich] -= 1.0 - left[poor];
            next += 1;
            // One that has given so much away is the last of the small ones now.
            border += usize::from(left[rich] < 1.0);
        }
        // What is left over has a slot for itself, but for rounding: of m that are left, none larger than 1, the
        // sum is m, so that no outcome of probability 0 is among them.
        for &outcome in &order[next..] {
            slots[outcome] = Slot::new(0.0, [outcome; 2], bits);
        }
        Self { bits, slots }
    }

    /// The outcome of a random word; `more` gives another, which is hardly ever asked for.
    #[inline(always)]
    pub fn draw(&self, word: u32, more: &mut impl Rng) -> u32 {
        let slot = (word & ((1 << self.bits) - 1)) as usize;
        let Slot { share, outcomes } = self.slots[slot];
        let rest = word.checked_shr(self.bits).unwrap_or(0);
        let mut own = rest < share.0;
        if rest == share.0 {
            own = more.next_u32() < share.1;
        }
        outcomes[usize::from(own)]
    }
}

impl Slot {
    fn new(share: f64, outcomes: [usize; 2], bits: u32) -> Self {
        let digits = (share * 2f64.powi(64 - bits as i32)) as u64;
        let share = ((digits >> 32) as u32, digits as u32);
        Self { share, outcomes: outcomes.map(|outcome| outcome as u32) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_drawn_as_likely;
    use super::*;
    use crate::numeric::random::generator;

    #[test]
    fn outcomes_are_drawn_as_often_as_they_are_likely() {
        assert_drawn_as_likely(Alias::new, |table, word, more| table.draw(word, more));
    }

    /// The slots' shares of each outcome add up to its probability.
    #[test]
    fn no_probability_is_lost() {
        let mut draws = generator(3, 1);
        for outcomes in 1..200 {
            let mut p: Vec<f64> = (0..outcomes).map(|_| f64::from(draws.next_u32())).collect();
            let sum: f64 = p.iter().sum();
            p.iter_mut().for_each(|p| *p /= sum);
            let table = Alias::new(&p);
            let mut given = vec![0.0; table.slots.len()];
            for Slot { share, outcomes } in &table.slots {
                let digits = u64::from(share.0) << 32 | u64::from(share.1);
                let own = digits as f64 / 2f64.powi(64 - table.bits as i32);
                given[outcomes[1] as usize] += own / table.slots.len() as f64;
                given[outcomes[0] as usize] += (1.0 - own) / table.slots.len() as f64;
            }
            for (given, p) in given.iter().zip(&p) {
                assert!((given - p).abs() < 1e-14, "{outcomes}: {given} {p}");
            }
        }
    }
}
