// Numbers and headers of Nodectl that all its variants have. docs/protocol/wire-format.md explains them.
#ifndef NODECTL_CONSTANTS_P4
#define NODECTL_CONSTANTS_P4

#if defined(NODECTL_DEPLOYABLE) || defined(NODECTL_FAIR_LEVEL)
#error "each variant is a program of its own: compile p4src/nodectl_deployable.p4 or p4src/nodectl_fair_level.p4"
#endif

#include "message.p4"
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

// The header in front of the controller's packets: `count` entries follow.
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

const bit<32> ONE_ARRIVAL_Q8 = 256;         // with the 8 fraction bits of Q_T
const bit<32> MAX_EXPECTED_Q8 = 0x7FFFFFFF;

// The operations that a message which came by asks for, or an entry of the controller's.
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

// Field lists: the metadata that a copy of a packet keeps.
#define KEEP_EVENT 1
#define KEEP_CONTINUATION 2

#endif
