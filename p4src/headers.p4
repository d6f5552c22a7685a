// Headers and metadata of nodectl.p4. docs/protocol.md explains every field.
#ifndef NODECTL_HEADERS_P4
#define NODECTL_HEADERS_P4

#include "ipv4.p4"
#include "message.p4"
#ifdef NODECTL_DEPLOYABLE
#include "message_v2.p4"
#endif
#include "ports.p4"

const bit<9>  CPU_PORT = 510;
const bit<32> CLONE_SESSION = 100;      // the controller points it to CPU_PORT
const bit<32> INSTANCE_TYPE_INGRESS_CLONE = 1;

// The store of records, and that of groups: 4 ways of 2^12 slots, or as many as the compiler's command line says (-D NODECTL_WAY_BITS=14; 1 to 16).
#ifndef NODECTL_WAY_BITS
#define NODECTL_WAY_BITS 12
#endif
const bit<32> SLOTS_PER_WAY = 1 << NODECTL_WAY_BITS;
const bit<32> SLOTS = 4 << NODECTL_WAY_BITS;
const bit<32> NO_SLOT = 0xFFFFFFFF;
const bit<16> IN_USE = 0x8000;          // in the port of a slot that is taken

const bit<16> TYPE_READ_SLOT = 0x0031;  // packet-out entries only
const bit<16> TYPE_READ_PORT = 0x0032;

// In front of what the controller sends: `count` entries follow.
const bit<48> PACKET_OUT_MAGIC = 0x014E6F646563;

@controller_header("packet_out")
header packet_out_t {
    bit<48> magic;
    bit<8>  count;
    bit<8>  reserved;
}

header entry_t {
    bit<16> type;
    bit<16> reserved;
    bit<16> data_port;
    bit<64> content_id;
    bit<32> destination_id;
    bit<32> subflow;
    bit<32> sender_ip;
    bit<32> receiver_ip;
    bit<32> value;
}

// In front of what the controller receives: one event.
@controller_header("packet_in")
header packet_in_t {
    bit<8>  event;
    bit<8>  verdict;
    bit<16> data_port;
    bit<32> rate_kbps;
    bit<32> previous_rate_kbps;
    bit<32> share_kbps;
    bit<32> transmission_share_kbps;
    bit<64> port_sum_kbps;
    bit<32> port_count;
    bit<64> bottleneck_sum_kbps;
    bit<32> bottleneck_count;
    bit<32> expected_arrivals_q8;
    bit<32> slot;
    bit<8>  is_bottleneck;
    bit<8>  reserved;
    bit<64> content_id;
    bit<32> destination_id;
    bit<32> subflow;
    bit<32> sender_ip;
    bit<32> receiver_ip;
    bit<48> last_seen_us;
#ifdef NODECTL_DEPLOYABLE
    bit<32> reserved_kbps;
    bit<32> min_kbps;
    bit<32> sequence;
    bit<64> port_reserved_sum_kbps;
#endif
}

const bit<32> PACKET_IN_LENGTH = 84;

struct headers_t {
    packet_in_t  packet_in;
    packet_out_t packet_out;
    entry_t      entry;
    ethernet_t   ethernet;
    ipv4_t       ipv4;
    udp_t        udp;
    nodectl_t    nodectl;
#ifdef NODECTL_DEPLOYABLE
    nodectl_v2_t nodectl_v2;
    tcp_t        tcp;
#endif
}

// `event` and `verdict` of packet_in.
const bit<8> EVENT_NONE = 0;
const bit<8> EVENT_ADMITTED = 1;
const bit<8> EVENT_REFUSED = 2;
const bit<8> EVENT_CONFIRMED = 3;
const bit<8> EVENT_REDUCED = 4;
const bit<8> EVENT_REMOVED = 5;
const bit<8> EVENT_REFRESHED = 6;
const bit<8> EVENT_RECORD = 7;
const bit<8> EVENT_PORT_TOTALS = 8;
const bit<8> EVENT_UNANSWERED = 9;

const bit<8> VERDICT_SHARE = 1;             // of EVENT_ADMITTED
const bit<8> VERDICT_REDUCE_OTHERS = 2;
const bit<8> VERDICT_INCREASE_OTHERS = 3;
const bit<8> VERDICT_BELOW_MIN = 1;         // of EVENT_REFUSED
const bit<8> VERDICT_STORE_FULL = 2;
const bit<8> VERDICT_TERMINATE = 1;         // of EVENT_REMOVED
const bit<8> VERDICT_FAILURE = 2;
const bit<8> VERDICT_EXPIRED = 3;
const bit<8> VERDICT_UNKNOWN_ID = 1;        // of EVENT_UNANSWERED
const bit<8> VERDICT_ADDRESS_MISMATCH = 2;
const bit<8> VERDICT_NO_ROUTE = 3;
const bit<8> VERDICT_BAD_ENTRY = 4;

// Index into the counter nodectl_errors.
const bit<32> ERROR_LENGTH = 0;
const bit<32> ERROR_CHECKSUM = 1;
const bit<32> ERROR_VERSION = 2;
const bit<32> ERROR_TYPE = 3;
const bit<32> ERROR_FLAGS = 4;
const bit<32> ERROR_MAX_ZERO = 5;
const bit<32> ERROR_MIN_ABOVE_MAX = 6;
const bit<32> ERROR_RTT = 7;
const bit<32> ERROR_RESERVED = 8;
const bit<32> ERROR_SPEED_ZERO = 9;
const bit<32> ERROR_UNKNOWN_ID = 10;
const bit<32> ERROR_ID_COLLISION = 11;
const bit<32> ERROR_STORE_FULL = 12;
const bit<32> ERROR_FORGED_BATCH = 13;
const bit<32> ERROR_REASONS = 16;

// What is to be done: a message that came by, or an entry of the controller's.
const bit<8> DO_NOTHING = 0;
const bit<8> DO_REQUEST = 1;
const bit<8> DO_SUCCESS = 2;
const bit<8> DO_FAILURE = 3;
const bit<8> DO_PASSING_REDUCE = 4;
const bit<8> DO_PASSING_INCREASE = 5;
const bit<8> DO_TERMINATE = 6;
const bit<8> DO_OWN_REDUCE = 7;
const bit<8> DO_OWN_INCREASE = 8;
const bit<8> DO_EXPIRE = 9;
const bit<8> DO_READ_SLOT = 10;
const bit<8> DO_READ_PORT = 11;
const bit<8> DO_TAKE_BACK = 12;

// A key's slot in a way: 12 bits of its hash, and 4 more for ways that are larger.
#define WAY_SLOT(way, low, more) (((bit<32>) (way) << NODECTL_WAY_BITS) | ((16w0 ++ (more) ++ (low)) & (SLOTS_PER_WAY - 1)))

// Field lists: what a copy of a packet keeps of its metadata.
#define KEEP_EVENT 1
#define KEEP_CONTINUATION 2

struct metadata_t {
    // The event, as it will stand in packet_in. data_port to receiver_ip are also the key that a record is looked up by.
    @field_list(KEEP_EVENT) bit<8>  event;
    @field_list(KEEP_EVENT) bit<8>  verdict;
    @field_list(KEEP_EVENT) bit<16> data_port;
    @field_list(KEEP_EVENT) bit<32> rate_kbps;
    @field_list(KEEP_EVENT) bit<32> previous_rate_kbps;
    @field_list(KEEP_EVENT) bit<32> share_kbps;               // B_c of the subflow
    @field_list(KEEP_EVENT) bit<32> transmission_share_kbps;  // B_c of all its siblings and itself
    @field_list(KEEP_EVENT) bit<64> port_sum_kbps;
    @field_list(KEEP_EVENT) bit<32> port_count;
    @field_list(KEEP_EVENT) bit<64> bottleneck_sum_kbps;
    @field_list(KEEP_EVENT) bit<32> bottleneck_count;
    @field_list(KEEP_EVENT) bit<32> expected_arrivals_q8;
    @field_list(KEEP_EVENT) bit<32> slot;
    @field_list(KEEP_EVENT) bit<8>  is_bottleneck;
    @field_list(KEEP_EVENT) bit<64> content_id;
    @field_list(KEEP_EVENT) bit<32> destination_id;
    @field_list(KEEP_EVENT) bit<32> subflow;
    @field_list(KEEP_EVENT) bit<32> sender_ip;
    @field_list(KEEP_EVENT) bit<32> receiver_ip;
    @field_list(KEEP_EVENT) bit<48> last_seen_us;
#ifdef NODECTL_DEPLOYABLE
    @field_list(KEEP_EVENT) bit<32> reserved_kbps;
    @field_list(KEEP_EVENT) bit<32> min_kbps;
    @field_list(KEEP_EVENT) bit<32> sequence;
    @field_list(KEEP_EVENT) bit<64> port_reserved_sum_kbps;
    bit<32> previous_reserved_kbps;
    bit<32> confirmed_kbps;         // of reserved_kbps, what its sender was told it has: the last request may still be under way
    bit<32> ended_sequence;         // of a record of this id that has gone; 0: none is remembered
    bit<1>  is_overcommitted;
    bit<1>  is_from_host;           // came in by a port with hosts behind it
    bit<32> source_index;
    bit<16> path_mark;              // of the record on this switch
#endif

    // The packet is the rest of a packet-out whose first entries have been handled.
    @field_list(KEEP_CONTINUATION) bit<1> is_continuation;

    // When the packet came in. A recirculated packet has no timestamp of its own, so the copies pass it on.
    @field_list(KEEP_EVENT, KEEP_CONTINUATION) bit<48> now_us;

    bit<8>  operation;              // DO_…
    bit<32> value;                  // of an entry
    bit<1>  is_entry;               // a packet-out's entry, not a message that came by
    bit<8>  entries_left;
    bit<1>  is_routed;
    bit<1>  is_changed;             // a field of the message: its checksum is due
    bit<1>  has_error;
    bit<32> error_reason;           // ERROR_…

    // The data port (table port_capacity).
    bit<1>  is_managed;
    bit<32> capacity_kbps;          // B_z
    bit<32> tolerance_kbps;         // β
#ifdef NODECTL_DEPLOYABLE
    bit<32> least_kbps;             // of B_z, whatever others send
#endif

    // The record.
    bit<1>  is_known;
    bit<1>  is_collision;
    bit<1>  is_free_slot;           // an entry asks for a slot that is free
    bit<1>  has_free_slot;          // for a new record
    bit<32> free_slot;
    bit<8>  previous_is_bottleneck;
    bit<32> new_rate_kbps;          // 0: the record goes

    // Its group: the subflows of the same transmission on the same port. From TakeOut to PutIn: the siblings, without itself.
    bit<32> group_slot;
    bit<1>  has_free_group;
    bit<32> free_group_slot;
    bit<64> group_sum_kbps;         // B_subs
    bit<32> group_count;
    bit<32> group_bottleneck_count;
}

#endif
