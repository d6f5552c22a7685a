//! Register arrays.

use crate::phv::limbs;

/// A register array: cells of one width, in limbs.
#[derive(Debug)]
pub(crate) struct RegisterArray {
    pub width: u32,
    limbs: usize,
    cells: Vec<u64>,
}

impl RegisterArray {
    pub fn new(width: u32, size: usize) -> Self {
        let limbs = limbs(width);
        Self { width, limbs, cells: vec![0; limbs * size] }
    }

    /// A cell; nothing if the index is behind the end.
    #[inline]
    pub fn cell(&self, index: u64) -> &[u64] {
        let Ok(index) = usize::try_from(index) else {
            return &[];
        };
        let start = index.saturating_mul(self.limbs);
        self.cells.get(start..start.saturating_add(self.limbs)).unwrap_or(&[])
    }

    #[inline]
    pub fn cell_mut(&mut self, index: u64) -> Option<&mut [u64]> {
        let start = usize::try_from(index).ok()?.checked_mul(self.limbs)?;
        self.cells.get_mut(start..start.checked_add(self.limbs)?)
    }

    pub fn clear(&mut self) {
        self.cells.fill(0);
    }
}
