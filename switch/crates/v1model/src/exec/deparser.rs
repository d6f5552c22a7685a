//! Verifying and updating checksums, and writing the headers.

use super::env::{Env, load_field};
use super::run::Machine;
use crate::bits::{BitWriter, PADDING};
use crate::code::Program;
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
        if !write_words(program, packet, out) {
            write_bits(program, packet, out);
        }
        out.extend_from_slice(packet.payload());
        out.truncate(packet.truncated);
    }
}

/// Writes the valid headers; nothing, and false, if one of them has a field that only bits can be made of.
fn write_words(program: &Program, packet: &Packet, out: &mut Vec<u8>) -> bool {
    let layout = &program.layout;
    let mut at = 0;
    for header in &program.deparser.order {
        if layout.is_valid(&packet.phv, *header) {
            let Some(words) = &layout.headers[*header as usize].words else {
                out.clear();
                return false;
            };
            out.resize(at + words.bytes() + PADDING, 0);
            words.write(&packet.phv, &mut out[at..]);
            at += words.bytes();
        }
    }
    out.truncate(at);
    true
}

/// The same for any headers.
fn write_bits(program: &Program, packet: &Packet, out: &mut Vec<u8>) {
    let mut writer = BitWriter::new(out);
    for header in &program.deparser.order {
        if program.layout.is_valid(&packet.phv, *header) {
            for field in &program.layout.headers[*header as usize].fields {
                writer.push_field(&packet.phv, &field.loc);
            }
        }
    }
    writer.finish();
}
