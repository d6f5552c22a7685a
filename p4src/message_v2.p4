// The additions of version 2 of the messages to version 1, for the deployable and the fair-level variant (docs/protocol/wire-format.md).
#ifndef MESSAGE_V2_P4
#define MESSAGE_V2_P4

#include "message.p4"

const bit<8>  TCP_SYN = 2;              // of a segment's flags

const bit<8>  NODECTL_VERSION_2 = 2;
const bit<16> NODECTL_V2_LENGTH = 56;   // of nodectl_t and nodectl_v2_t
const bit<16> NODECTL_V2_UDP_LENGTH = NODECTL_V2_LENGTH + 8;
const bit<16> NODECTL_V2_IPV4_LENGTH = NODECTL_V2_UDP_LENGTH + 20;
const bit<32> NODECTL_V2_FRAME_LENGTH = (bit<32>) NODECTL_V2_IPV4_LENGTH + 14;

const bit<8>  FLAG_AGAIN = 4;
const bit<8>  UNKNOWN_FLAGS_2 = 0xF8;

const bit<32> PACKET_IN_V2_LENGTH = 104;

const bit<16> TYPE_CHALLENGE = 0x0014;
const bit<16> TYPE_SET_KEY = 0x0033;    // packet-out entries only
const bit<16> TYPE_TAKE_BACK = 0x0034;

const bit<32> ERROR_STALE = 14;
const bit<32> ERROR_NOT_BELIEVED = 15;
const bit<8>  VERDICT_QUOTA = 3;        // of EVENT_REFUSED

const bit<3>  CLASS_OTHERS = 0;         // data without a record, or above its rate
const bit<3>  CLASS_NEGOTIATED = 1;
const bit<3>  CLASS_CONTROL = 2;        // messages, and packets that open connections
const bit<6>  DSCP_OTHERS = 0;
const bit<6>  DSCP_NEGOTIATED = 10;     // AF11
const bit<6>  DSCP_OPENING = 40;        // CS5: signalling (RFC 4594)
const bit<64> UNITS_PER_BYTE = 8000;    // of a bucket: kbit/s times us
const bit<64> BUCKET_BURST = 524288000; // 64 KB
const bit<64> BURST_US = 10000;         // beside the units that the rate gives in this time
const bit<64> ANSWERS_BURST = 65536000; // 8 KB
const bit<8>  ANSWERS_PART = 4;         // 1/16 of the rate of the data that is answered
const bit<8>  SLACK = 6;                // 1/64 above the rate
const bit<64> LONGEST_FILLING_US = 0x100000;
const bit<64> CONTROL_KBPS = 1000;      // messages of all hosts behind a port, and packets that open connections
const bit<64> LEFT_FOR_MESSAGES = 262144000; // of the burst, when a connection is opened: 32 KB
const bit<32> LONGEST_OPENING = 94;     // bytes of a frame: TCP with all the options that there is room for
const bit<32> LONGEST_ANSWER = 120;     // bytes of a frame
const bit<48> GRACE_US = 0x80000;       // 2^19, about 0.5 s, to obey a reduce

const bit<32> KEYS = 2;                 // secrets of the switch and its controller
const bit<32> INDEX_KEY = 0;
const bit<32> TOKEN_KEY = 1;
const bit<32> SOURCE_SLOTS = 4096;
const bit<32> SOURCE_RECORDS = 64;      // most records of one source on one port
const bit<32> MAX_COUNTED_RTT_US = 0x40000; // 2^18, about 0.26 s

// The fields that are read of a TCP segment.
header tcp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<32> sequence;
    bit<32> acknowledgement;
    bit<8>  data_offset;
    bit<8>  flags;
}

// Follows nodectl_t.
header nodectl_v2_t {
    bit<32> sequence;
    bit<32> current_kbps;
    bit<32> granted_kbps;
    bit<16> source_port;
    bit<16> destination_port;
    bit<64> token;
}

#endif
