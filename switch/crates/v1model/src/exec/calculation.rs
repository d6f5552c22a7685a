//! Computing hashes and checksums: fields, constants, headers and payload, put together bit by bit.

use crate::bits::BitWriter;
use crate::code::calculation::{Calculation, Input};
use crate::layout::Layout;
use crate::packet::Packet;
use crate::state::Memory;

impl Calculation {
    /// Computes the calculation over the packet; `index` is the calculation's own number.
    pub fn compute(&self, index: usize, layout: &Layout, packet: &Packet, memory: &mut Memory) -> u64 {
        if let Some((header, words)) = &self.sum {
            let phv = &packet.phv;
            return u64::from(!if layout.is_valid(phv, *header) { words.sum16(phv) } else { 0 });
        }
        let mut bytes = std::mem::take(&mut memory.scratch);
        bytes.clear();
        self.collect(layout, packet, &mut bytes);
        let mut spare = 0;
        if let Some(Some(custom)) = memory.custom_crcs.get(index) {
            let value = custom.compute(&bytes);
            memory.scratch = bytes;
            return value;
        }
        let counter = memory.round_robin.get_mut(index).unwrap_or(&mut spare);
        let random = &mut memory.random;
        let value = self.algorithm.compute(&bytes, counter, || random.next());
        memory.scratch = bytes;
        value
    }

    fn collect(&self, layout: &Layout, packet: &Packet, out: &mut Vec<u8>) {
        let phv = &packet.phv;
        let mut writer = BitWriter::new(out);
        for part in &self.input {
            match part {
                Input::Field(header, loc) => {
                    if layout.is_valid(phv, *header) {
                        writer.push_field(phv, loc);
                    }
                }
                Input::Const(limbs, width) => writer.push_limbs(limbs, *width),
                Input::Header(header) => {
                    if layout.is_valid(phv, *header) {
                        for field in &layout.headers[*header as usize].fields {
                            writer.push_field(phv, &field.loc);
                        }
                    }
                }
            }
        }
        writer.finish();
        if self.with_payload {
            out.extend_from_slice(packet.payload());
        }
    }
}
