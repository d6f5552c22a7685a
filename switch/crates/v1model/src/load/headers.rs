//! Header types, headers, stacks and unions.

use bmv2_json::{HeaderField, HeaderType, Node, ProgramError, header_types};
use std::collections::HashMap;

use super::builder::{Builder, find, note};
use crate::code::words::Words;
use crate::code::{StandardMetadata, TrafficManagerMetadata};
use crate::layout::{Header, Stack, Union, UnionStack, WireField};
use crate::phv::FieldLoc;

/// Largest number of 64-bit slots of a program.
const MAX_SLOTS: u32 = 1 << 20;

impl Builder {
    pub(super) fn headers(&mut self, root: &Node) -> Result<(), ProgramError> {
        let types = header_types(root)?;
        for (index, header_type) in types.iter().enumerate() {
            let node = root.get("header_types");
            let node = node.at(index);
            note(&mut self.names.types, &node, "header type", index)?;
            if node.has("length_exp") {
                self.names.self_sized.insert(index as u32, node.get("length_exp").value.clone());
            }
            let numbered = header_type.fields.iter().enumerate();
            let fields = numbered.map(|(position, field)| (field.name.clone(), position as u32));
            self.names.type_fields.push(fields.collect());
        }
        // Metadata first: it is set to zero in one go.
        let headers = root.get("headers");
        let count = headers.element_count()?;
        let is_metadata = |index: usize| headers.at(index).get("metadata").bool();
        let mut places = vec![0; count];
        for metadata in [true, false] {
            for (index, place) in places.iter_mut().enumerate() {
                if is_metadata(index)? == metadata {
                    let header_type = find(&self.names.types, &headers.at(index).get("header_type"), "header type")?;
                    *place = self.program.layout.slots;
                    let slots: u32 =
                        types[header_type as usize].fields.iter().map(|field| location(field, 0).slots()).sum();
                    self.program.layout.slots = place.saturating_add(slots).saturating_add(1);
                    if self.program.layout.slots > MAX_SLOTS {
                        return Err(headers.error("the program has too many header fields"));
                    }
                }
            }
            if metadata {
                self.program.layout.metadata_slots = self.program.layout.slots;
            }
        }
        for (index, base) in places.into_iter().enumerate() {
            self.header_instance(&headers.at(index), index, base, &types)?;
        }
        self.program.header_types = types;
        self.stacks(root)?;
        self.unions(root)
    }

    fn header_instance(
        &mut self,
        node: &Node,
        index: usize,
        base: u32,
        types: &[HeaderType],
    ) -> Result<(), ProgramError> {
        note(&mut self.names.headers, node, "header", index)?;
        if self.names.header_ids.insert(node.get("id").i64()?, index as u32).is_some() {
            return Err(node.error("another header has the same id"));
        }
        let type_id = find(&self.names.types, &node.get("header_type"), "header type")?;
        let header_type = &types[type_id as usize];
        let mut slot = base;
        let mut bit = 0;
        let mut varbit = None;
        let mut fields = Vec::with_capacity(header_type.fields.len());
        for (position, field) in header_type.fields.iter().enumerate() {
            let loc = location(field, slot);
            slot += loc.slots();
            if field.saturating {
                self.names.saturating.insert(loc.slot);
            }
            fields.push(WireField { loc, bit });
            if field.varbit {
                varbit = Some(position);
            } else {
                bit += field.width;
            }
        }
        let metadata = node.get("metadata").bool()?;
        if bit % 8 != 0 && !metadata {
            return Err(node.error(format!("the header has {bit} bits; headers in packets are whole bytes")));
        }
        self.program.layout.headers.push(Header {
            name: node.get("name").string()?,
            type_id,
            metadata,
            base,
            slots: slot - base + 1,
            valid: slot,
            words: Words::of(&fields.iter().map(|field| field.loc).collect::<Vec<_>>(), 8),
            fields,
            bytes: bit / 8,
            varbit,
            siblings: Vec::new(),
        });
        Ok(())
    }

    /// A slot of its own, for a stack's counter.
    fn extra_slot(&mut self) -> u32 {
        let slot = self.program.layout.slots;
        self.program.layout.slots += 1;
        slot
    }

    fn by_id(ids: &HashMap<i64, u32>, nodes: &Node, kind: &str) -> Result<Vec<u32>, ProgramError> {
        nodes.map(|node| {
            let id = node.i64()?;
            ids.get(&id).copied().ok_or_else(|| node.error(format!("there is no {kind} with id {id}")))
        })
    }

    fn stacks(&mut self, root: &Node) -> Result<(), ProgramError> {
        root.get("header_stacks").each(|node| {
            let index = self.program.layout.stacks.len();
            note(&mut self.names.stacks, &node, "header stack", index)?;
            let headers = Self::by_id(&self.names.header_ids, &node.get("header_ids"), "header")?;
            let types = headers.iter().map(|h| self.program.layout.headers[*h as usize].type_id);
            if types.collect::<std::collections::HashSet<_>>().len() > 1 {
                return Err(node.error("the elements of a stack are of different types"));
            }
            let next = self.extra_slot();
            self.program.layout.stacks.push(Stack { name: node.get("name").string()?, next, headers });
            Ok(())
        })
    }

    fn unions(&mut self, root: &Node) -> Result<(), ProgramError> {
        let mut member_names = HashMap::new();
        root.get("header_union_types").each(|node| {
            let members = node.get("headers").map(|member| member.at(0).string())?;
            member_names.insert(node.get("name").string()?, members);
            Ok(())
        })?;
        root.get("header_unions").each(|node| {
            let index = self.program.layout.unions.len();
            note(&mut self.names.unions, &node, "header union", index)?;
            self.names.union_ids.insert(node.get("id").i64()?, index as u32);
            let headers = Self::by_id(&self.names.header_ids, &node.get("header_ids"), "header")?;
            for header in &headers {
                let siblings = headers.iter().copied().filter(|h| h != header).collect();
                self.program.layout.headers[*header as usize].siblings = siblings;
            }
            let type_name = node.get("union_type").string()?;
            let members = member_names.get(&type_name).cloned();
            let members = members.ok_or_else(|| node.error(format!("there is no union type \"{type_name}\"")))?;
            self.program.layout.unions.push(Union { name: node.get("name").string()?, headers, members });
            Ok(())
        })?;
        root.get("header_union_stacks").each(|node| {
            let index = self.program.layout.union_stacks.len();
            note(&mut self.names.union_stacks, &node, "header union stack", index)?;
            let unions = Self::by_id(&self.names.union_ids, &node.get("header_union_ids"), "header union")?;
            let next = self.extra_slot();
            self.program.layout.union_stacks.push(UnionStack { name: node.get("name").string()?, next, unions });
            Ok(())
        })
    }

    pub(super) fn aliases(&mut self, root: &Node) -> Result<(), ProgramError> {
        root.get("field_aliases").each(|node| {
            node.tuple(2)?;
            let name = node.at(0).string()?;
            let (_, loc) = self.field(&node.at(1))?;
            self.names.aliases.insert(name, loc);
            Ok(())
        })
    }

    pub(super) fn metadata(&mut self, root: &Node) -> Result<(), ProgramError> {
        let find = |header: &str, field: &str| -> Option<FieldLoc> {
            let in_header = |header: &str| {
                let index = *self.names.headers.get(header)?;
                let definition = &self.program.layout.headers[index as usize];
                let fields = &self.names.type_fields[definition.type_id as usize];
                Some(definition.fields[*fields.get(field)? as usize].loc)
            };
            self.names
                .aliases
                .get(&format!("{header}.{field}"))
                .copied()
                .or_else(|| in_header(header))
                .or_else(|| in_header("standard_metadata"))
        };
        let standard = |field: &str| find("standard_metadata", field);
        let intrinsic = |field: &str| find("intrinsic_metadata", field);
        let queueing = |field: &str| find("queueing_metadata", field);
        let metadata = StandardMetadata {
            ingress_port: standard("ingress_port"),
            egress_spec: standard("egress_spec"),
            egress_port: standard("egress_port"),
            instance_type: standard("instance_type"),
            packet_length: standard("packet_length"),
            enq_timestamp: queueing("enq_timestamp"),
            enq_qdepth: queueing("enq_qdepth"),
            deq_timedelta: queueing("deq_timedelta"),
            deq_qdepth: queueing("deq_qdepth"),
            qid: queueing("qid"),
            ingress_global_timestamp: intrinsic("ingress_global_timestamp"),
            egress_global_timestamp: intrinsic("egress_global_timestamp"),
            mcast_grp: intrinsic("mcast_grp"),
            egress_rid: intrinsic("egress_rid"),
            priority: intrinsic("priority"),
            checksum_error: standard("checksum_error"),
            parser_error: standard("parser_error"),
            traffic_manager: self.traffic_manager(),
        };
        let required = [
            ("ingress_port", metadata.ingress_port),
            ("egress_spec", metadata.egress_spec),
            ("egress_port", metadata.egress_port),
            ("instance_type", metadata.instance_type),
            ("packet_length", metadata.packet_length),
        ];
        if let Some((name, _)) = required.iter().find(|(_, loc)| loc.is_none()) {
            let message = format!("not a v1model program: there is no field standard_metadata.{name}");
            return Err(root.get("headers").error(message));
        }
        self.program.metadata = metadata;
        Ok(())
    }
}

impl Builder {
    fn traffic_manager(&self) -> TrafficManagerMetadata {
        let layout = &self.program.layout;
        let metadata = layout.headers.iter().filter(|header| header.metadata);
        let found: HashMap<&str, FieldLoc> = metadata
            .flat_map(|header| {
                let names = self.names.type_fields[header.type_id as usize].iter();
                names.filter_map(|(name, index)| Some((queue_field(name)?, header.fields[*index as usize].loc)))
            })
            .filter(|(_, loc)| loc.width <= u64::BITS)
            .collect();
        let of = |name: &str| found.get(name).copied();
        TrafficManagerMetadata {
            queue: of("queue"),
            rank: of("rank"),
            enqueue_ns: of("enqueue_ns"),
            dequeue_ns: of("dequeue_ns"),
            sojourn_ns: of("sojourn_ns"),
            queue_bytes: of("queue_bytes"),
            port_packets: of("port_packets"),
            port_bytes: of("port_bytes"),
        }
    }
}

/// The name of a field of metadata about queues: `queue` of `userMetadata.traffic_manager.queue`, which p4c writes as
/// `userMetadata._traffic_manager_queue7`, or with the name of the struct instead of `userMetadata`.
fn queue_field(name: &str) -> Option<&str> {
    let (_, own) = name.split_once('.')?;
    own.strip_prefix("traffic_manager.").or_else(|| {
        let numbered = own.strip_prefix("_traffic_manager_")?;
        Some(numbered.trim_end_matches(|c: char| c.is_ascii_digit()))
    })
}

fn location(field: &HeaderField, slot: u32) -> FieldLoc {
    FieldLoc { slot, width: field.width, signed: field.signed, varbit: field.varbit }
}
