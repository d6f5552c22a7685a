//! Controller headers: the `packet_in` and `packet_out` metadata as bits in front of a frame.

use bytes::Bytes;
use p4runtime_proto::config::{ControllerPacketMetadata, P4Info};
use p4runtime_proto::runtime::{PacketIn, PacketMetadata, PacketOut};
use v1model::HeaderType;

use crate::bytestring::{hex, padded, read_unsigned, shortest};
use crate::failure::{Failure, Outcome};
use crate::translation::Translations;

/// The layout of one controller header: its fields in order, packed without gaps, the whole filled up to bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ControllerHeader {
    fields: Vec<Field>,
    bits: usize,
    /// Whether the program has no such header: frames then have nothing in front, and its fields are empty.
    is_absent: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    id: u32,
    name: String,
    /// In the data plane, in bits.
    width: u32,
    /// Its type, if its values are translated.
    translated: Option<String>,
}

impl ControllerHeader {
    /// The header called `name` (`packet_in` or `packet_out`), if the program has it.
    ///
    /// For translated fields P4Info has the controller's width; the data plane's is in the program's header `types`. A header
    /// with such fields that is not among these is in P4Info alone: the program declares it and puts it on no packet. P4Runtime
    /// servers take that (BMv2's counts no bits for strings); its fields are empty.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if a field has no width.
    pub fn find(
        p4info: &P4Info,
        name: &str,
        translations: &Translations,
        types: &[HeaderType],
    ) -> Outcome<Option<Self>> {
        let is_it = |header: &&ControllerPacketMetadata| header.preamble.as_ref().is_some_and(|p| p.name == name);
        let Some(header) = p4info.controller_packet_metadata.iter().find(is_it) else { return Ok(None) };
        let mut fields = Vec::with_capacity(header.metadata.len());
        for field in &header.metadata {
            let translated =
                field.type_name.as_ref().filter(|t| translations.translates(&t.name)).map(|t| t.name.clone());
            let width = u32::try_from(field.bitwidth).unwrap_or(0);
            fields.push(Field { id: field.id, name: field.name.clone(), width, translated });
        }
        if fields.iter().any(|field| field.translated.is_some()) {
            let Some(widths) = widths_of(types, &fields) else {
                tracing::warn!("{name} is no header of the program: frames have none of it, and its fields are empty");
                return Ok(Some(ControllerHeader { fields, bits: 0, is_absent: true }));
            };
            fields.iter_mut().zip(widths).for_each(|(field, width)| field.width = width);
        }
        if let Some(field) = fields.iter().find(|field| field.width == 0) {
            return Err(Failure::invalid(format!("P4Info: {name} field \"{}\" has no bit width", field.name)));
        }
        let bits = fields.iter().map(|field| field.width as usize).sum();
        Ok(Some(ControllerHeader { fields, bits, is_absent: false }))
    }

    /// Bytes the header takes in a frame.
    fn bytes(&self) -> usize {
        self.bits.div_ceil(8)
    }

    /// Takes the header off a frame that left by the CPU port. `None` if the frame is shorter than the header.
    pub fn take_off(&self, frame: Bytes, translations: &Translations) -> Option<PacketIn> {
        let header = frame.get(..self.bytes())?;
        let mut position = 0;
        let mut metadata = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            if self.is_absent {
                metadata.push(PacketMetadata { metadata_id: field.id, value: Bytes::new() });
                continue;
            }
            let value = shortest(&take_bits(header, position, field.width, &frame));
            position += field.width as usize;
            let value = match &field.translated {
                Some(name) => translations.to_controller(name, &value),
                None => value,
            };
            metadata.push(PacketMetadata { metadata_id: field.id, value });
        }
        let payload = frame.slice(self.bytes()..);
        Some(PacketIn { payload, metadata })
    }

    /// Puts the metadata of a packet-out in front of its payload, as the CPU port is to receive it.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if a field is missing, unknown, given twice or too big.
    pub fn put_on(&self, packet: &PacketOut, translations: &Translations) -> Outcome<Vec<u8>> {
        let mut frame = Vec::with_capacity(self.bytes() + packet.payload.len());
        frame.resize(self.bytes(), 0);
        let mut position = 0;
        for (index, field) in self.fields.iter().enumerate() {
            // Clients send the fields in order; only if not, look.
            let given = match packet.metadata.get(index) {
                Some(given) if given.metadata_id == field.id => given,
                _ => packet.metadata.iter().find(|given| given.metadata_id == field.id).ok_or_else(|| {
                    Failure::invalid(format!("packet-out metadata {} (\"{}\") is missing", field.id, field.name))
                })?,
            };
            if self.is_absent {
                continue;
            }
            let value = match &field.translated {
                Some(name) => translations.to_data_plane(name, &given.value),
                None => Ok(given.value.clone()),
            };
            let value = value.and_then(|value| read_unsigned(&value, field.width)).map_err(|failure| {
                Failure::invalid(format!("packet-out metadata {} (\"{}\"): {failure}", field.id, field.name))
            })?;
            put_bits(&mut frame, position, field.width, &value);
            position += field.width as usize;
        }
        if packet.metadata.len() != self.fields.len() {
            return Err(self.surplus(packet));
        }
        frame.extend_from_slice(&packet.payload);
        Ok(frame)
    }

    fn surplus(&self, packet: &PacketOut) -> Failure {
        let known = |given: &PacketMetadata| self.fields.iter().any(|field| field.id == given.metadata_id);
        match packet.metadata.iter().find(|given| !known(given)) {
            Some(unknown) => Failure::invalid(format!(
                "packet-out metadata {} (value 0x{}) is not in the P4Info",
                unknown.metadata_id,
                hex(&unknown.value)
            )),
            None => Failure::invalid("a packet-out metadata id is given twice"),
        }
    }
}

/// The widths of the header with these fields in the data plane.
fn widths_of(types: &[HeaderType], fields: &[Field]) -> Option<Vec<u32>> {
    let count = fields.len();
    let is_it = |header: &&HeaderType| {
        header.fields.len() >= count
            && header.fields.iter().zip(fields).all(|(plane, field)| {
                plane.name == field.name && (field.translated.is_some() || plane.width == field.width)
            })
            // Compilers fill headers up to whole bytes.
            && header.fields.iter().skip(count).all(|field| field.name.starts_with("_padding"))
    };
    types.iter().find(is_it).map(|header| header.fields.iter().take(count).map(|field| field.width).collect())
}

/// The `width` bits from bit `position` on (bit 0 is the top bit of the first byte), right-aligned.
fn take_bits(header: &[u8], position: usize, width: u32, frame: &Bytes) -> Bytes {
    let width = width as usize;
    if position.is_multiple_of(8) && width.is_multiple_of(8) {
        return frame.slice(position / 8..(position + width) / 8);
    }
    let mut out = vec![0u8; width.div_ceil(8)];
    for bit in 0..width {
        let from = position + bit;
        if header.get(from / 8).is_some_and(|byte| byte >> (7 - from % 8) & 1 != 0) {
            let to = out.len() * 8 - width + bit;
            if let Some(byte) = out.get_mut(to / 8) {
                *byte |= 1 << (7 - to % 8);
            }
        }
    }
    Bytes::from(out)
}

fn put_bits(frame: &mut [u8], position: usize, width: u32, value: &[u8]) {
    let value = padded(value, width);
    let width = width as usize;
    if position.is_multiple_of(8) && width.is_multiple_of(8) {
        if let Some(to) = frame.get_mut(position / 8..(position + width) / 8) {
            to.copy_from_slice(&value);
        }
        return;
    }
    for bit in 0..width {
        let from = value.len() * 8 - width + bit;
        if value.get(from / 8).is_some_and(|byte| byte >> (7 - from % 8) & 1 != 0) {
            let to = position + bit;
            if let Some(byte) = frame.get_mut(to / 8) {
                *byte |= 1 << (7 - to % 8);
            }
        }
    }
}

#[cfg(test)]
#[path = "header_tests.rs"]
mod tests;
