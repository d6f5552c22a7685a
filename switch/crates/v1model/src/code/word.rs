//! Machine words that expressions are evaluated in: 64 and 128 bits, modulo 2^64 and 2^128.

use std::fmt::Debug;

/// An unsigned machine word with wrapping arithmetic and a second reading as two's complement.
pub(crate) trait Arithmetic: Copy + Eq + Debug + 'static {
    const BITS: u32;
    fn from_u64(value: u64) -> Self;
    fn from_i64(value: i64) -> Self;
    /// The lowest bits of a value in limbs.
    fn load(limbs: &[u64]) -> Self;
    fn add(self, rhs: Self) -> Self;
    fn sub(self, rhs: Self) -> Self;
    fn mul(self, rhs: Self) -> Self;
    fn and(self, rhs: Self) -> Self;
    fn or(self, rhs: Self) -> Self;
    fn xor(self, rhs: Self) -> Self;
    fn not(self) -> Self;
    /// Zero if all bits go.
    fn shl(self, amount: u64) -> Self;
    fn shr(self, amount: u64) -> Self;
    fn sar(self, amount: u64) -> Self;
    /// Zero if the divisor is zero.
    fn div(self, rhs: Self) -> Self;
    fn rem(self, rhs: Self) -> Self;
    fn lt(self, rhs: Self) -> bool;
    fn slt(self, rhs: Self) -> bool;
}

macro_rules! word {
    ($unsigned:ty, $signed:ty, $load:expr) => {
        impl Arithmetic for $unsigned {
            const BITS: u32 = <$unsigned>::BITS;

            #[inline(always)]
            fn from_u64(value: u64) -> Self {
                value as Self
            }
            #[inline(always)]
            fn from_i64(value: i64) -> Self {
                value as Self
            }
            #[inline(always)]
            fn load(limbs: &[u64]) -> Self {
                $load(limbs)
            }
            #[inline(always)]
            fn add(self, rhs: Self) -> Self {
                self.wrapping_add(rhs)
            }
            #[inline(always)]
            fn sub(self, rhs: Self) -> Self {
                self.wrapping_sub(rhs)
            }
            #[inline(always)]
            fn mul(self, rhs: Self) -> Self {
                self.wrapping_mul(rhs)
            }
            #[inline(always)]
            fn and(self, rhs: Self) -> Self {
                self & rhs
            }
            #[inline(always)]
            fn or(self, rhs: Self) -> Self {
                self | rhs
            }
            #[inline(always)]
            fn xor(self, rhs: Self) -> Self {
                self ^ rhs
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn shl(self, amount: u64) -> Self {
                if amount >= u64::from(Self::BITS) { 0 } else { self << amount }
            }
            #[inline(always)]
            fn shr(self, amount: u64) -> Self {
                if amount >= u64::from(Self::BITS) { 0 } else { self >> amount }
            }
            #[inline(always)]
            fn sar(self, amount: u64) -> Self {
                ((self as $signed) >> amount.min(u64::from(Self::BITS) - 1)) as Self
            }
            #[inline(always)]
            fn div(self, rhs: Self) -> Self {
                self.checked_div(rhs).unwrap_or(0)
            }
            #[inline(always)]
            fn rem(self, rhs: Self) -> Self {
                self.checked_rem(rhs).unwrap_or(0)
            }
            #[inline(always)]
            fn lt(self, rhs: Self) -> bool {
                self < rhs
            }
            #[inline(always)]
            fn slt(self, rhs: Self) -> bool {
                (self as $signed) < (rhs as $signed)
            }
        }
    };
}

word!(u64, i64, |limbs: &[u64]| limbs.first().copied().unwrap_or(0));

word!(u128, i128, |limbs: &[u64]| {
    u128::from(limbs.first().copied().unwrap_or(0)) | u128::from(limbs.get(1).copied().unwrap_or(0)) << 64
});
