-- Nodectl for Wireshark and tshark: messages between hosts and switches (UDP), and between switches and controller.
-- Fields, numbers and names are those of "nodectl.schema", which view/wireshark/schema.py writes from protocol/.
-- docs/wireshark.md has the filters.

local schema = require("nodectl.schema")

local message_proto = Proto("nodectl", "Nodectl")
local event_proto = Proto("nodectl_event", "Nodectl packet-in")
local batch_proto = Proto("nodectl_batch", "Nodectl packet-out")
local telemetry_proto = Proto("nodectl_int", "Nodectl telemetry")

local UNITS = { kbps = " kbit/s", us = " µs" }
local UNSIGNED = { ProtoField.uint8, ProtoField.uint16, [4] = ProtoField.uint32, [6] = ProtoField.uint64, [8] = ProtoField.uint64 }

-- A field's name for people, without the unit, which stands behind the number.
local function label(name)
  local words = name:gsub("_kbps$", ""):gsub("_us$", ""):gsub("_", " ")
  words = words:gsub("^rtt", "RTT"):gsub(" id$", " ID"):gsub(" ip$", " IP")
  return words:sub(1, 1):upper() .. words:sub(2)
end

local function make_field(prefix, field)
  local abbreviation, text = prefix .. "." .. field.name, label(field.name)
  if field.shown == "ipv4_address" then
    return ProtoField.ipv4(abbreviation, text)
  elseif field.shown == "boolean" then
    return ProtoField.bool(abbreviation, text)
  end
  local unit = UNITS[field.name:match("_(%a+)$")]
  local unsigned = UNSIGNED[field.bytes]
  if unit then
    return unsigned(abbreviation, text, base.UNIT_STRING, { unit })
  end
  local shown = field.shown == "hexadecimal" and base.HEX or base.DEC
  return unsigned(abbreviation, text, shown, field.values)
end

-- The fields of a header by name, made and registered.
local function make_fields(proto, prefix, header)
  local made = {}
  for _, field in ipairs(header.fields) do
    made[field.name] = make_field(prefix, field)
    table.insert(proto.fields, made[field.name])
    for bit, name in pairs(field.bits or {}) do
      local flag = ProtoField.bool(prefix .. "." .. field.name .. "." .. name, label(name), field.bytes * 8, nil, bit)
      made[field.name .. "." .. name] = flag
      table.insert(proto.fields, flag)
    end
  end
  return made
end

local function number(range)
  return range:len() > 4 and range:uint64() or range:uint()
end

-- Adds the fields of a header that are there to a tree, from `first` on; returns their numbers and items by name.
local function add_fields(tree, made, header, buffer, first)
  local values, items = {}, {}
  for _, field in ipairs(header.fields) do
    local at = first + field.offset
    if at + field.bytes > buffer:len() then
      break
    end
    local range = buffer(at, field.bytes)
    values[field.name] = number(range)
    items[field.name] = tree:add(made[field.name], range)
    for _, name in pairs(field.bits or {}) do
      items[field.name]:add(made[field.name .. "." .. name], range)
    end
  end
  return values, items
end

local function name_of(header, field_name, value)
  for _, field in ipairs(header.fields) do
    if field.name == field_name then
      return field.values[value]
    end
  end
end

-- Messages -----------------------------------------------------------------------------------------------------------------------

local message, extension = schema.headers.message, schema.headers.extension
local message_fields = make_fields(message_proto, "nodectl", message)
local extension_fields = make_fields(message_proto, "nodectl", extension)

local by_length = {}
for number_of_version, version in pairs(schema.versions) do
  version.number = number_of_version
  by_length[version.bytes] = version
end

-- By which version's rules a message is read: that of its length, as a switch does; if there is none, the one that it says it has.
local function version_of(length, said)
  return by_length[length] or schema.versions[said] or schema.versions[schema.oldest_version]
end

-- In an adjustment message other things stand where these fields are.
local instead, made_instead = {}, {}
for _, field in ipairs(message.fields) do
  local other = schema.in_adjustments[field.name]
  if other and not made_instead[other] then
    made_instead[other] = make_field("nodectl", { name = other, bytes = field.bytes, shown = field.shown })
    table.insert(message_proto.fields, made_instead[other])
  end
  instead[field.name] = made_instead[other]
end

local error_field = ProtoField.uint8("nodectl.error", "Malformed", base.DEC, schema.errors)
table.insert(message_proto.fields, error_field)

local experts = {}
for index, name in pairs(schema.errors) do
  experts[name] = ProtoExpert.new("nodectl.malformed." .. name, "Nodectl: " .. name, expert.group.MALFORMED, expert.severity.ERROR)
  table.insert(message_proto.experts, experts[name])
  experts[name .. ".index"] = index
end
local not_looked_at =
  ProtoExpert.new("nodectl.not_looked_at", "No switch looks at this message", expert.group.PROTOCOL, expert.severity.WARN)
table.insert(message_proto.experts, not_looked_at)

local ip_length, ip_header = Field.new("ip.len"), Field.new("ip.hdr_len")
local ip_source, ip_destination = Field.new("ip.src"), Field.new("ip.dst")
local udp_length, udp_checksum = Field.new("udp.length"), Field.new("udp.checksum")

-- The value of a field that may be there several times: of the innermost header.
local function last(extractor)
  local found = { extractor() }
  return found[#found]
end

local function sum_of(range)
  local sum = 0
  for at = 0, range:len() - 2, 2 do
    sum = sum + range(at, 2):uint()
  end
  if range:len() % 2 == 1 then
    sum = sum + range(range:len() - 1, 1):uint() * 256
  end
  return sum
end

-- Whether the UDP checksum is right; nil where that cannot be told. 0 means that there is none (RFC 768).
local function is_checksum_right(buffer, pinfo)
  local source, destination, length, checksum = last(ip_source), last(ip_destination), last(udp_length), last(udp_checksum)
  if not (source and destination and length and checksum) or buffer:len() < buffer:reported_len() then
    return nil
  elseif checksum.value == 0 then
    return true
  end
  local udp_protocol = 17
  local sum = sum_of(source.range) + sum_of(destination.range) + udp_protocol + 2 * length.value
  sum = sum + pinfo.src_port + pinfo.dst_port + checksum.value + sum_of(buffer())
  while sum > 0xffff do
    sum = sum % 0x10000 + math.floor(sum / 0x10000)
  end
  return sum == 0xffff
end

-- The mistakes that a switch would count of the message, in its order: a list of {name, item, text}.
local function mistakes(buffer, pinfo, version, values, items, tree)
  local found = {}
  local function add(name, item, text)
    table.insert(found, { name = name, item = item or tree, text = text })
  end

  local length, wanted = buffer:reported_len(), version.bytes
  local ip = last(ip_length)
  local udp = last(udp_length)
  if length < wanted then
    add("length", tree, string.format("%d bytes, %d too few", length, wanted - length))
  elseif length > wanted then
    add("length", tree, string.format("%d bytes, the last %d are too many", length, length - wanted))
  elseif ip and udp and ip.value - last(ip_header).value ~= udp.value then
    add("length", tree, string.format("IPv4 has room for %d bytes of UDP, not %d", ip.value - last(ip_header).value, udp.value))
  end
  if is_checksum_right(buffer, pinfo) == false then
    add("checksum", tree, "the UDP checksum is wrong")
  end
  if values.version and values.version ~= version.number then
    add("version", items.version, string.format("version %d, but %d bytes are version %d", values.version, wanted, version.number))
  end
  if values.type and not version.has_type[values.type] then
    add("type", items.type, string.format("type 0x%04x is unknown in version %d", values.type, version.number))
  end
  if values.flags and bit.band(values.flags, bit.bnot(version.known_flags)) ~= 0 then
    add("flags", items.flags, string.format("flag bits in 0x%02x that are unknown in version %d", values.flags, version.number))
  end
  if schema.is_adjustment[values.type] then
    for _, field in ipairs(message.fields) do
      if schema.in_adjustments[field.name] == "reserved" and values[field.name] and values[field.name] ~= 0 then
        add("reserved", items[field.name], string.format("reserved, but %d and not 0", values[field.name]))
      end
    end
    if values.max_kbps == 0 and name_of(message, "type", values.type) ~= "terminate" then
      add("speed_zero", items.max_kbps, "a rate of 0")
    end
  elseif name_of(message, "type", values.type) then
    if values.max_kbps == 0 then
      add("max_zero", items.max_kbps, "max is 0")
    end
    if name_of(message, "type", values.type) == "request" then
      if values.min_kbps and values.min_kbps > values.max_kbps then
        add("min_above_max", items.min_kbps, string.format("min %d is above max %d", values.min_kbps, values.max_kbps))
      end
      if values.rtt_us and (values.rtt_us == 0 or values.rtt_us > schema.max_rtt_us) then
        add("rtt", items.rtt_us, string.format("an RTT of %d µs is outside 1…%d", values.rtt_us, schema.max_rtt_us))
      end
    end
  end
  return found
end

local function summary(values)
  local kind = name_of(message, "type", values.type)
  local words = { kind and label(kind) or values.type and string.format("Type 0x%04x", values.type) or "Cut off" }
  if values.content_id and values.subflow then
    table.insert(words, string.format("%s/%d/%d", values.content_id:tohex(), values.destination_id, values.subflow))
  end
  if schema.is_adjustment[values.type] then
    if values.max_kbps and kind ~= "terminate" then
      table.insert(words, string.format("speed=%d", values.max_kbps))
    end
  elseif values.rtt_us then
    table.insert(words, string.format("max=%d min=%d rtt=%d", values.max_kbps, values.min_kbps, values.rtt_us))
  end
  if values.sequence then
    table.insert(words, string.format("sequence=%d", values.sequence))
  end
  if values.granted_kbps and not schema.is_adjustment[values.type] then
    table.insert(words, string.format("current=%d granted=%d", values.current_kbps, values.granted_kbps))
  end
  for _, field in ipairs(message.fields) do
    for value, name in pairs(field.bits or {}) do
      if values[field.name] and bit.band(values[field.name], value) ~= 0 then
        table.insert(words, "[" .. name .. "]")
      end
    end
  end
  return table.concat(words, " ")
end

-- A copy of the fields, with the other fields that adjustment messages have in the place of some.
local function adjusted(made)
  local copy = {}
  for name, field in pairs(made) do
    copy[name] = instead[name] or field
  end
  return copy
end

local adjustment_fields = adjusted(message_fields)

-- Telemetry: a question with the records that switches have written into it.
local telemetry, hop = schema.headers.telemetry, schema.headers.hop
local telemetry_fields = make_fields(telemetry_proto, "nodectl_int", telemetry)
local hop_fields = make_fields(telemetry_proto, "nodectl_int.hop", hop)
local cut_telemetry =
  ProtoExpert.new("nodectl_int.malformed", "Nodectl: malformed telemetry", expert.group.MALFORMED, expert.severity.ERROR)
table.insert(telemetry_proto.experts, cut_telemetry)

local function dissect_telemetry(buffer, pinfo, root)
  local tree = root:add(telemetry_proto, buffer())
  local values = add_fields(tree, telemetry_fields, telemetry, buffer, 0)
  local hops, length = values.hops or 0, buffer:reported_len()
  for index = 0, math.min(hops, schema.most_hops) - 1 do
    local first = telemetry.bytes + index * hop.bytes
    if first + hop.bytes > buffer:len() then
      break
    end
    local branch = tree:add(buffer(first, hop.bytes), string.format("Record %d", index + 1))
    add_fields(branch, hop_fields, hop, buffer, first)
  end
  local text = string.format("Telemetry %s, %d records", name_of(telemetry, "type", values.type), hops)
  local mistake
  if values.version and values.version ~= schema.oldest_version then
    mistake = string.format("version %d", values.version)
  elseif hops > schema.most_hops or length ~= telemetry.bytes + hops * hop.bytes then
    mistake = string.format("%d bytes with %d records", length, hops)
  end
  if mistake then
    tree:add_proto_expert_info(cut_telemetry, mistake)
    text = text .. " [malformed: " .. mistake .. "]"
  end
  tree:append_text(": " .. text)
  pinfo.cols.protocol = "Nodectl INT"
  pinfo.cols.info = text
  return buffer:len()
end

function message_proto.dissector(buffer, pinfo, root)
  if pinfo.src_port ~= schema.udp_port or pinfo.dst_port ~= schema.udp_port then
    return 0
  end
  local kind = buffer:len() >= 2 and buffer(0, 2):uint()
  if schema.is_telemetry[kind] then
    return dissect_telemetry(buffer, pinfo, root)
  end
  local tree = root:add(message_proto, buffer())
  local fields = schema.is_adjustment[kind] and adjustment_fields or message_fields
  local values, items = add_fields(tree, fields, message, buffer, 0)
  local version = version_of(buffer:reported_len(), values.version)
  if version.bytes > message.bytes then
    local more_values, more_items = add_fields(tree, extension_fields, extension, buffer, message.bytes)
    for name, value in pairs(more_values) do
      values[name], items[name] = value, more_items[name]
    end
  end
  local text = summary(values)
  tree:append_text(": " .. text)
  pinfo.cols.protocol = "Nodectl"
  if buffer:reported_len() > version.bytes and buffer:len() > version.bytes then
    tree:add(buffer(version.bytes), "Trailing bytes")
  end
  local found = mistakes(buffer, pinfo, version, values, items, tree)
  if found[1] then
    tree:add(error_field, experts[found[1].name .. ".index"]):set_generated()
    text = text .. " [malformed: " .. found[1].text .. "]"
  end
  for _, mistake in ipairs(found) do
    mistake.item:add_proto_expert_info(experts[mistake.name], mistake.text)
  end
  if not last(ip_length) then
    tree:add_proto_expert_info(not_looked_at, "not in IPv4: no switch looks at it")
  elseif last(ip_header).value ~= schema.ipv4_header_bytes then
    tree:add_proto_expert_info(not_looked_at, "IPv4 options: no switch looks at it")
  end
  pinfo.cols.info = text
  return buffer:len()
end

DissectorTable.get("udp.port"):add(schema.udp_port, message_proto)

-- Packet-in and packet-out ---------------------------------------------------------------------------------------------------------

local batch, entry = schema.headers.packet_out, schema.headers.entry
-- The deployable variant's begins with all the fields of the paper's.
local paper_event, deployable_event = schema.headers.event, schema.headers.deployable_event
local event_fields = make_fields(event_proto, "nodectl_event", deployable_event)
local batch_fields = make_fields(batch_proto, "nodectl_batch", batch)
local entry_fields = make_fields(batch_proto, "nodectl_batch.entry", entry)

local verdict_name = ProtoField.string("nodectl_event.verdict_name", "Verdict's name")
table.insert(event_proto.fields, verdict_name)

local event_malformed =
  ProtoExpert.new("nodectl_event.malformed", "Malformed packet-in", expert.group.MALFORMED, expert.severity.ERROR)
local batch_malformed =
  ProtoExpert.new("nodectl_batch.malformed", "Malformed packet-out", expert.group.MALFORMED, expert.severity.ERROR)
local batch_forged =
  ProtoExpert.new("nodectl_batch.forged", "A packet-out that did not come from the controller", expert.group.SECURITY, expert.severity.WARN)
event_proto.experts = { event_malformed }
batch_proto.experts = { batch_malformed, batch_forged }

local ethernet = Dissector.get("eth_withoutfcs")

local ETHERTYPE_AT, ETHERTYPE_IPV4 = 12, 0x0800

-- Whether a packet-in's header is of this kind: behind it is nothing, or the frame of a message, which is in IPv4.
local function is_followed_rightly(header, buffer)
  local ethertype_at = header.bytes + ETHERTYPE_AT
  return buffer:reported_len() == header.bytes
    or buffer:len() >= ethertype_at + 2 and buffer(ethertype_at, 2):uint() == ETHERTYPE_IPV4
end

function event_proto.dissector(buffer, pinfo, root)
  local event = is_followed_rightly(deployable_event, buffer) and deployable_event or paper_event
  local size = math.min(event.bytes, buffer:len())
  local tree = root:add(event_proto, buffer(0, size))
  local values, items = add_fields(tree, event_fields, event, buffer, 0)
  local kind = name_of(event, "event", values.event)
  local verdict = (schema.verdicts[values.event] or {})[values.verdict]
  local text = "Event " .. (kind or tostring(values.event))
  if verdict then
    items.verdict:append_text(" (" .. verdict .. ")")
    tree:add(verdict_name, buffer(1, 1), verdict):set_generated()
    text = text .. " (" .. verdict .. ")"
  end
  if values.expected_arrivals_q8 then
    items.expected_arrivals_q8:append_text(string.format(" (%.3f)", values.expected_arrivals_q8 / schema.one_arrival_q8))
  end
  if kind == "port_totals" and values.port_count then
    text = string.format("%s port=%d sum=%s of %d", text, values.data_port, values.port_sum_kbps, values.port_count)
  elseif values.subflow then
    text = string.format(
      "%s port=%d %s/%d/%d rate=%d (was %d)",
      text, values.data_port, values.content_id:tohex(), values.destination_id, values.subflow, values.rate_kbps, values.previous_rate_kbps
    )
  end
  if values.port_reserved_sum_kbps then
    text = string.format("%s reserved=%s", text, kind == "port_totals" and values.port_reserved_sum_kbps or values.reserved_kbps)
  end
  if buffer:reported_len() > event.bytes and buffer:len() > event.bytes then
    ethernet:call(buffer(event.bytes):tvb(), pinfo, root)
  end
  tree:append_text(": " .. text)
  if buffer:reported_len() < event.bytes then
    tree:add_proto_expert_info(event_malformed, string.format("%d bytes, fewer than %d", buffer:reported_len(), event.bytes))
  end
  if values.event and not kind then
    items.event:add_proto_expert_info(event_malformed, "unknown event")
  elseif values.verdict and values.verdict ~= 0 and not verdict then
    items.verdict:add_proto_expert_info(event_malformed, "unknown verdict of this event")
  end
  pinfo.cols.protocol = "Nodectl event"
  pinfo.cols.info = text
  return buffer:len()
end

function batch_proto.dissector(buffer, pinfo, root)
  local tree = root:add(batch_proto, buffer())
  local values, items = add_fields(tree, batch_fields, batch, buffer, 0)
  local words = {}
  for index = 1, values.count or 0 do
    local first = batch.bytes + (index - 1) * entry.bytes
    if first >= buffer:len() then
      break
    end
    local branch = tree:add(batch_proto, buffer(first, math.min(entry.bytes, buffer:len() - first)), "Entry " .. index)
    local found, parts = add_fields(branch, entry_fields, entry, buffer, first)
    local kind = name_of(entry, "type", found.type) or string.format("type 0x%04x", found.type or 0)
    branch:append_text(": " .. kind)
    table.insert(words, kind .. (found.value and "=" .. found.value or ""))
    if found.type and not name_of(entry, "type", found.type) then
      parts.type:add_proto_expert_info(batch_malformed, "unknown entry type")
    end
  end
  if values.count and (values.count < 1 or values.count > schema.max_batch_entries) then
    local text = string.format("%d entries: 1 to %d are allowed", values.count, schema.max_batch_entries)
    items.count:add_proto_expert_info(batch_malformed, text)
  end
  local wanted = batch.bytes + (values.count or 1) * entry.bytes
  if buffer:reported_len() ~= wanted then
    local text = string.format("%d bytes, not the %d of its entries", buffer:reported_len(), wanted)
    tree:add_proto_expert_info(batch_malformed, text)
  end
  pinfo.cols.protocol = "Nodectl batch"
  pinfo.cols.info = "Batch: " .. table.concat(words, ", ")
  return buffer:len()
end

local function begins_a_batch(buffer)
  return buffer:len() >= 6 and buffer(0, 6):bytes():tohex(true) == schema.packet_out_magic
end

local controller_proto = Proto("nodectl_controller", "Nodectl switch and controller")

function controller_proto.dissector(buffer, pinfo, root)
  local proto = begins_a_batch(buffer) and batch_proto or event_proto
  return proto.dissector(buffer, pinfo, root)
end

DissectorTable.get("wtap_encap"):add(wtap[schema.controller_link_type], controller_proto)

-- On an Ethernet link nobody but a forger sends one.
batch_proto:register_heuristic("eth", function(buffer, pinfo, root)
  if not begins_a_batch(buffer) then
    return false
  end
  batch_proto.dissector(buffer, pinfo, root)
  root:add_proto_expert_info(batch_forged)
  return true
end)
