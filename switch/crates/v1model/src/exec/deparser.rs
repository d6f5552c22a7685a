//! Verifying and updating checksums, and writing the headers.

use super::env::{Env, load_field};
use super::run::Machine;
use crate::bits::BitWriter;
use crate::code::deparser::Checksum;
use crate::packet::Packet;
use crate::phv::store_u128;

impl Machine<'_> {
    pub(crate) fn verify_checksums(&mut self, packet: &mut Packet) {
        let program = self.program;
        for checksum in program.checksums.iter().filter(|c| c.verify) {
            if !program.layout.is_valid(&packet.phv, checksum.header) || !self.applies(checksum, packet) {
                continue;
            }
            let expected = self.checksum(checksum, packet);
            let present: u64 = load_field(&packet.phv, &checksum.field);
            if expected != present {
                packet.checksum_error = true;
            }
        }
    }

    fn update_checksums(&mut self, packet: &mut Packet) {
        let program = self.program;
        for checksum in program.checksums.iter().filter(|c| c.update) {
            if self.applies(checksum, packet) {
                let value = self.checksum(checksum, packet);
                store_u128(&mut packet.phv, &checksum.field, u128::from(value));
            }
        }
    }

    fn applies(&self, checksum: &Checksum, packet: &Packet) -> bool {
        let env = &Env { phv: &packet.phv, data: &[], layout: &self.program.layout, registers: &self.memory.registers };
        checksum.condition.as_ref().is_none_or(|condition| condition.eval(env))
    }

    fn checksum(&mut self, checksum: &Checksum, packet: &Packet) -> u64 {
        let index = checksum.calculation as usize;
        self.program.calculations[index].compute(index, &self.program.layout, packet, self.memory)
    }

    /// Updates checksums and writes the valid headers and the payload to `out`, cut if the packet was truncated.
    pub fn deparse(&mut self, packet: &mut Packet, out: &mut Vec<u8>) {
        let program = self.program;
        if packet.traced != 0 {
            self.memory.keep_before(packet);
        }
        self.update_checksums(packet);
        self.ops(&program.deparser.ops, &[], packet);
        if packet.traced != 0 {
            self.note_deparser(packet);
        }
        out.clear();
        let mut writer = BitWriter::new(out);
        for header in &program.deparser.order {
            if program.layout.is_valid(&packet.phv, *header) {
                for field in &program.layout.headers[*header as usize].fields {
                    writer.push_field(&packet.phv, &field.loc);
                }
            }
        }
        writer.finish();
        out.extend_from_slice(packet.payload());
        out.truncate(packet.truncated);
    }
}
