//! Numbers of a few limbs, kept without memory of their own.

use std::ops::Deref;

const FEW: usize = 2;

/// Limbs that do not change; two are kept in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Limbs {
    Few(u8, [u64; FEW]),
    Many(Box<[u64]>),
}

impl Deref for Limbs {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match self {
            // The number is never greater than there is room for.
            Self::Few(count, limbs) => limbs.get(..usize::from(*count)).unwrap_or(limbs),
            Self::Many(limbs) => limbs,
        }
    }
}

impl From<Vec<u64>> for Limbs {
    fn from(limbs: Vec<u64>) -> Self {
        if limbs.len() > FEW {
            return Self::Many(limbs.into());
        }
        let mut few = [0; FEW];
        few[..limbs.len()].copy_from_slice(&limbs);
        Self::Few(limbs.len() as u8, few)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_what_it_was_made_of() {
        for count in 0..5 {
            let limbs: Vec<u64> = (1..=count).collect();
            assert_eq!(*Limbs::from(limbs.clone()), *limbs);
        }
        assert_eq!(size_of::<Limbs>(), 24);
    }
}
