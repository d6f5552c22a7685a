//! The values that expressions read.

use crate::code::word::Arithmetic;
use crate::layout::Layout;
use crate::phv::{FieldLoc, limbs};
use crate::state::RegisterArray;

/// The values that an expression can read.
pub(crate) struct Env<'a> {
    pub phv: &'a [u64],
    /// The action's parameters.
    pub data: &'a [u64],
    pub layout: &'a Layout,
    pub registers: &'a [RegisterArray],
}

/// A field of a header that was found at run time.
pub(crate) fn at_header(layout: &Layout, header: u32, relative: &FieldLoc) -> FieldLoc {
    FieldLoc { slot: layout.headers[header as usize].base + relative.slot, ..*relative }
}

/// The lowest bits of a field, sign-extended if it is signed.
pub(crate) fn load_field<W: Arithmetic>(phv: &[u64], loc: &FieldLoc) -> W {
    let bits = loc.bits(phv);
    if bits == 0 {
        return W::from_u64(0);
    }
    let start = loc.data();
    let value = W::load(&phv[start..start + limbs(bits)]);
    if loc.signed && bits < W::BITS {
        let shift = u64::from(W::BITS - bits);
        value.shl(shift).sar(shift)
    } else {
        value
    }
}
