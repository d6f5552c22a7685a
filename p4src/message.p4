// The message of hosts that ask for a rate. docs/protocol/wire-format.md explains every field.
#ifndef MESSAGE_P4
#define MESSAGE_P4

const bit<16> NODECTL_PORT = 4747;
const bit<16> NODECTL_LENGTH = 32;      // of nodectl_t
const bit<16> NODECTL_UDP_LENGTH = NODECTL_LENGTH + 8;
const bit<16> NODECTL_IPV4_LENGTH = NODECTL_UDP_LENGTH + 20;
const bit<32> NODECTL_FRAME_LENGTH = (bit<32>) NODECTL_IPV4_LENGTH + 14;
const bit<8>  NODECTL_VERSION = 1;
const bit<8>  NEW_MESSAGE_TTL = 64;     // of messages that this switch makes or turns round
const bit<32> MAX_RTT_US = 0xFFFFFF;    // 2^24 - 1, about 16.8 s

const bit<16> TYPE_REQUEST   = 0x0011;
const bit<16> TYPE_SUCCESS   = 0x0012;
const bit<16> TYPE_FAILURE   = 0x0013;
const bit<16> TYPE_REDUCE    = 0x0021;
const bit<16> TYPE_INCREASE  = 0x0022;
const bit<16> TYPE_TERMINATE = 0x0023;

const bit<8> FLAG_RENEGOTIATION = 1;
const bit<8> FLAG_REFRESH = 2;
const bit<8> UNKNOWN_FLAGS = 0xFC;

// All messages have this one shape. In an adjustment message max_kbps is the speed, and min_kbps and rtt_us are reserved (0).
header nodectl_t {
    bit<16> type;
    bit<8>  version;
    bit<8>  flags;
    bit<64> content_id;
    bit<32> destination_id;
    bit<32> subflow;
    bit<32> max_kbps;
    bit<32> min_kbps;
    bit<32> rtt_us;
}

#endif
