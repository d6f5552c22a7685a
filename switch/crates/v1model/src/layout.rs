//! Where headers, stacks and unions are in the packet header vector.

use crate::code::words::Words;
use crate::phv::FieldLoc;

/// A header instance.
#[derive(Debug)]
pub(crate) struct Header {
    pub name: String,
    /// Index of its type: headers of one type have the same fields at the same distance from `base`.
    pub type_id: u32,
    pub metadata: bool,
    /// First slot.
    pub base: u32,
    /// Slots, validity included.
    pub slots: u32,
    /// Slot of the validity bit; the last one.
    pub valid: u32,
    pub fields: Vec<WireField>,
    /// The same put together, if that goes.
    pub words: Option<Words>,
    /// Bytes in a packet, the variable-length field not counted.
    pub bytes: u32,
    /// Index of the variable-length field.
    pub varbit: Option<usize>,
    /// Other headers of its union: they become invalid when it becomes valid.
    pub siblings: Vec<u32>,
}

/// A field and its place in a packet.
#[derive(Debug, Clone)]
pub(crate) struct WireField {
    pub loc: FieldLoc,
    /// Bit of the header it begins at; not meaningful behind a variable-length field.
    pub bit: u32,
}

/// A header stack.
#[derive(Debug)]
pub(crate) struct Stack {
    pub name: String,
    /// Slot of the number of elements in use (P4's `nextIndex`).
    pub next: u32,
    pub headers: Vec<u32>,
}

/// A header union.
#[derive(Debug)]
pub(crate) struct Union {
    pub name: String,
    pub headers: Vec<u32>,
    /// Names of the members in its type.
    pub members: Vec<String>,
}

/// A stack of header unions.
#[derive(Debug)]
pub(crate) struct UnionStack {
    pub name: String,
    pub next: u32,
    pub unions: Vec<u32>,
}

/// All of a program's storage.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub headers: Vec<Header>,
    pub stacks: Vec<Stack>,
    pub unions: Vec<Union>,
    pub union_stacks: Vec<UnionStack>,
    /// All slots of a packet.
    pub slots: u32,
    /// Slots `0..metadata_slots` belong to metadata.
    pub metadata_slots: u32,
}

impl Layout {
    /// Makes a header valid, as `setValid` does (values are not touched).
    pub fn set_valid(&self, phv: &mut [u64], header: u32) {
        let header = &self.headers[header as usize];
        phv[header.valid as usize] = 1;
        for sibling in &header.siblings {
            phv[self.headers[*sibling as usize].valid as usize] = 0;
        }
    }

    /// Makes a header invalid.
    pub fn set_invalid(&self, phv: &mut [u64], header: u32) {
        phv[self.headers[header as usize].valid as usize] = 0;
    }

    pub fn is_valid(&self, phv: &[u64], header: u32) -> bool {
        let header = &self.headers[header as usize];
        header.metadata || phv[header.valid as usize] != 0
    }

    /// Bytes the header has in a packet now.
    pub fn wire_bytes(&self, phv: &[u64], header: u32) -> u32 {
        let header = &self.headers[header as usize];
        match header.varbit {
            None => header.bytes,
            Some(index) => header.bytes + header.fields[index].loc.bits(phv) / 8,
        }
    }

    /// Sets all fields of a header to zero.
    pub fn clear_fields(&self, phv: &mut [u64], header: u32) {
        let header = &self.headers[header as usize];
        phv[header.base as usize..header.valid as usize].fill(0);
    }

    /// Copies a header of the same type, validity included. A header that is not valid only takes the validity along.
    pub fn copy_header(&self, phv: &mut [u64], dst: u32, src: u32) {
        let (to, from) = (&self.headers[dst as usize], &self.headers[src as usize]);
        if !self.is_valid(phv, src) {
            self.set_invalid(phv, dst);
            return;
        }
        let count = to.slots.min(from.slots) as usize - 1;
        phv.copy_within(from.base as usize..from.base as usize + count, to.base as usize);
        self.set_valid(phv, dst);
    }

    /// Exchanges two headers of the same type, validity included.
    fn swap_headers(&self, phv: &mut [u64], a: u32, b: u32) {
        let (a, b) = (&self.headers[a as usize], &self.headers[b as usize]);
        for offset in 0..a.slots.min(b.slots) as usize {
            phv.swap(a.base as usize + offset, b.base as usize + offset);
        }
    }

    /// Both valid and all fields equal.
    pub fn headers_equal(&self, phv: &[u64], a: u32, b: u32) -> bool {
        let (left, right) = (&self.headers[a as usize], &self.headers[b as usize]);
        left.type_id == right.type_id
            && self.is_valid(phv, a)
            && self.is_valid(phv, b)
            && left.fields.iter().zip(&right.fields).all(|(l, r)| {
                let bits = l.loc.bits(phv);
                let limbs = crate::phv::limbs(bits);
                bits == r.loc.bits(phv)
                    && phv[l.loc.data()..l.loc.data() + limbs] == phv[r.loc.data()..r.loc.data() + limbs]
            })
    }

    /// The valid member of a union.
    pub fn valid_member(&self, phv: &[u64], union: u32) -> Option<usize> {
        self.unions[union as usize].headers.iter().position(|h| self.is_valid(phv, *h))
    }

    pub fn copy_union(&self, phv: &mut [u64], dst: u32, src: u32) {
        for (to, from) in self.unions[dst as usize].headers.iter().zip(&self.unions[src as usize].headers) {
            self.copy_header(phv, *to, *from);
        }
    }

    /// Headers of a stack's element: one, or all members of a union.
    fn element(&self, kind: StackRef, index: usize) -> &[u32] {
        match kind {
            StackRef::Headers(stack) => std::slice::from_ref(&self.stacks[stack as usize].headers[index]),
            StackRef::Unions(stack) => &self.unions[self.union_stacks[stack as usize].unions[index] as usize].headers,
        }
    }

    fn size_and_next(&self, kind: StackRef) -> (usize, usize) {
        match kind {
            StackRef::Headers(stack) => {
                let stack = &self.stacks[stack as usize];
                (stack.headers.len(), stack.next as usize)
            }
            StackRef::Unions(stack) => {
                let stack = &self.union_stacks[stack as usize];
                (stack.unions.len(), stack.next as usize)
            }
        }
    }

    /// P4's `push_front`: elements move up by `count`, the first `count` become invalid.
    pub fn push_front(&self, phv: &mut [u64], kind: StackRef, count: u64) {
        let (size, next) = self.size_and_next(kind);
        let count = usize::try_from(count).unwrap_or(size).min(size);
        phv[next] = (phv[next] + count as u64).min(size as u64);
        for index in (count..size).rev() {
            for (a, b) in self.element(kind, index).iter().zip(self.element(kind, index - count)) {
                self.swap_headers(phv, *a, *b);
            }
        }
        for index in 0..count {
            for header in self.element(kind, index) {
                self.set_invalid(phv, *header);
            }
        }
    }

    /// P4's `pop_front`: elements move down by `count`, the last `count` become invalid.
    pub fn pop_front(&self, phv: &mut [u64], kind: StackRef, count: u64) {
        let (size, next) = self.size_and_next(kind);
        let count = usize::try_from(count).unwrap_or(size).min(size);
        phv[next] = phv[next].saturating_sub(count as u64);
        for index in 0..size - count {
            for (a, b) in self.element(kind, index).iter().zip(self.element(kind, index + count)) {
                self.swap_headers(phv, *a, *b);
            }
        }
        for index in size - count..size {
            for header in self.element(kind, index) {
                self.set_invalid(phv, *header);
            }
        }
    }

    pub fn copy_stack(&self, phv: &mut [u64], dst: u32, src: u32) {
        let (to, from) = (&self.stacks[dst as usize], &self.stacks[src as usize]);
        phv[to.next as usize] = phv[from.next as usize];
        for (a, b) in to.headers.iter().zip(&from.headers) {
            self.copy_header(phv, *a, *b);
        }
    }

    pub fn copy_union_stack(&self, phv: &mut [u64], dst: u32, src: u32) {
        let (to, from) = (&self.union_stacks[dst as usize], &self.union_stacks[src as usize]);
        phv[to.next as usize] = phv[from.next as usize];
        for (a, b) in to.unions.iter().zip(&from.unions) {
            self.copy_union(phv, *a, *b);
        }
    }
}

/// A stack of headers or of unions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StackRef {
    Headers(u32),
    Unions(u32),
}
