//! Inputs made of others: a few changes to one of them, the same every time.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Integers that lengths and counts are mistaken for.
const NUMBERS: [u64; 8] = [0, 1, 127, 255, 1 << 16, i32::MAX as u64, 1 << 40, i64::MAX as u64];

/// No input grows beyond this.
const LONGEST: usize = 1 << 14;

pub struct Mutator<'a> {
    known: &'a [Vec<u8>],
    chance: ChaCha8Rng,
}

impl<'a> Mutator<'a> {
    /// Starts from these inputs, of which there is one at least.
    pub fn new(known: &'a [Vec<u8>]) -> Self {
        Self { known, chance: ChaCha8Rng::seed_from_u64(0) }
    }

    /// Another input.
    pub fn next(&mut self) -> Vec<u8> {
        let mut input = self.any();
        for _ in 0..self.chance.random_range(1..=4) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn any(&mut self) -> Vec<u8> {
        self.known[self.chance.random_range(0..self.known.len())].clone()
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        if input.is_empty() {
            input.push(self.chance.random());
            return;
        }
        let at = self.chance.random_range(0..input.len());
        let end = at + self.chance.random_range(1..=(input.len() - at).min(32));
        match self.chance.random_range(0..8) {
            0 => input[at] ^= 1 << self.chance.random_range(0..8),
            1 => input[at] = self.chance.random(),
            2 => input.truncate(at),
            3 => drop(input.drain(at..end)),
            4 => {
                let part = input[at..end].to_vec();
                input.splice(at..at, part);
            }
            5 => {
                let number = NUMBERS[self.chance.random_range(0..NUMBERS.len())].to_le_bytes();
                let width = [1, 2, 4, 8][self.chance.random_range(0..4)].min(input.len() - at);
                input[at..at + width].copy_from_slice(&number[..width]);
            }
            6 => {
                let other = self.any();
                let from = self.chance.random_range(0..=other.len());
                input.truncate(at);
                input.extend(&other[from..]);
            }
            _ => {
                let other = self.any();
                let count = other.len().min(end - at);
                let from = self.chance.random_range(0..=other.len() - count);
                input.splice(at..end, other[from..from + count].iter().copied());
            }
        }
    }
}
