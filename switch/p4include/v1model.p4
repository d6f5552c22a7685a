/* The v1model architecture, as the simple switch implements it:
 *
 *   parser -> checksum verification -> ingress -> (queues, replication) -> egress -> checksum update -> deparser
 *
 * Signatures are those that programs in the field rely on. Define V1MODEL_VERSION as 20200408 or later to
 * get indices of any type for counters, meters and registers, and the type PortId_t. */

#ifndef _V1_MODEL_P4_
#define _V1_MODEL_P4_

#include "core.p4"

#ifndef V1MODEL_VERSION
#define V1MODEL_VERSION 20180101
#endif

const bit<32> __v1model_version = V1MODEL_VERSION;

match_kind {
    range,     // between two values, both included
    optional,  // equal, or anything
    selector   // takes part in the hash that picks a member of an action selector's group
}

#if V1MODEL_VERSION >= 20200408
typedef bit<9> PortId_t;
#define _V1_PORT_ PortId_t
#define _V1_INDEX_PARAM_ <I>
#define _V1_INDEX_ I
#else
#define _V1_PORT_ bit<9>
#define _V1_INDEX_PARAM_
#define _V1_INDEX_ bit<32>
#endif

/* What the switch tells the program about a packet, and the other way round. */
@metadata
@name("standard_metadata")
struct standard_metadata_t {
    _V1_PORT_ ingress_port;  // where it came in
    _V1_PORT_ egress_spec;   // ingress writes here where it is to go (511: drop)
    _V1_PORT_ egress_port;   // where it goes, known in egress
    bit<32>   instance_type; // 0 normal, 1 clone of ingress, 2 clone of egress, 4 recirculated, 5 replicated, 6 resubmitted
    bit<32>   packet_length; // bytes
    // The queue the packet waited in.
    @alias("queueing_metadata.enq_timestamp")
    bit<32>   enq_timestamp;
    @alias("queueing_metadata.enq_qdepth")
    bit<19>   enq_qdepth;
    @alias("queueing_metadata.deq_timedelta")
    bit<32>   deq_timedelta;
    @alias("queueing_metadata.deq_qdepth")
    bit<19>   deq_qdepth;
    // Microseconds since the switch was started.
    @alias("intrinsic_metadata.ingress_global_timestamp")
    bit<48>   ingress_global_timestamp;
    @alias("intrinsic_metadata.egress_global_timestamp")
    bit<48>   egress_global_timestamp;
    // Multicast group to send to (0: none), and which copy this is.
    @alias("intrinsic_metadata.mcast_grp")
    bit<16>   mcast_grp;
    @alias("intrinsic_metadata.egress_rid")
    bit<16>   egress_rid;
    bit<1>    checksum_error; // a verify_checksum() found a wrong one
    error     parser_error;   // how parsing ended
    // Queue, if the switch has several.
    @alias("intrinsic_metadata.priority")
    bit<3>    priority;
}

/* ---- counters, meters, registers ---- */

enum CounterType {
    packets,
    bytes,
    packets_and_bytes
}

enum MeterType {
    packets,
    bytes
}

/* An array of counters; the control plane reads them. */
extern counter _V1_INDEX_PARAM_ {
    counter(bit<32> size, CounterType type);
    void count(in _V1_INDEX_ index);
}

/* One counter for each entry of the table that has it as its property 'counters'. */
extern direct_counter {
    direct_counter(CounterType type);
    void count();
}

#define V1MODEL_METER_COLOR_GREEN  0
#define V1MODEL_METER_COLOR_YELLOW 1
#define V1MODEL_METER_COLOR_RED    2

/* An array of two-rate three-colour meters; the result is 0 green, 1 yellow, 2 red. */
extern meter _V1_INDEX_PARAM_ {
    meter(bit<32> size, MeterType type);
    void execute_meter<T>(in _V1_INDEX_ index, out T result);
}

/* One meter for each entry of the table that has it as its property 'meters'. */
extern direct_meter<T> {
    direct_meter(MeterType type);
    void read(out T result);
}

/* An array of values that outlive packets. */
#if V1MODEL_VERSION >= 20200408
extern register<T, I> {
    register(bit<32> size);
#else
extern register<T> {
    register(bit<32> size);
#endif
    @noSideEffects
    void read(out T result, in _V1_INDEX_ index);
    void write(in _V1_INDEX_ index, in T value);
}

/* ---- table implementations ---- */

enum HashAlgorithm {
    crc32,
    crc32_custom,
    crc16,
    crc16_custom,
    random,
    identity,
    csum16,
    xor16
}

/* Entries refer to members of the profile; a member is an action with its data. */
extern action_profile {
    action_profile(bit<32> size);
}

/* As a profile, with groups of members; the hash of the keys of kind 'selector' picks one. */
extern action_selector {
    action_selector(HashAlgorithm algorithm, bit<32> size, bit<32> outputWidth);
}

/* ---- values ---- */

/* A random number between lo and hi, both included. */
extern void random<T>(out T result, in T lo, in T hi);

/* A hash of data, brought into base .. base + max - 1 (max = 0: just base). */
@pure
extern void hash<O, T, D, M>(out O result, in HashAlgorithm algo, in T base, in D data, in M max);

/* ---- checksums (in the controls made for them) ---- */

@deprecated("Please use verify_checksum/update_checksum instead.")
extern Checksum16 {
    Checksum16();
    bit<16> get<D>(in D data);
}

/* Sets checksum_error if the condition holds and the checksum of data is another one. */
extern void verify_checksum<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);

/* Writes the checksum of data if the condition holds. */
@pure
extern void update_checksum<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);

/* The same, over data and everything behind the parsed headers. */
extern void verify_checksum_with_payload<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
@noSideEffects
extern void update_checksum_with_payload<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);

/* ---- where packets go ---- */

/* Drops the packet at the end of ingress or egress, unless something else is decided later. */
@pure
extern void mark_to_drop(inout standard_metadata_t standard_metadata);
@deprecated("Please use mark_to_drop(standard_metadata) instead.")
extern void mark_to_drop();

/* Cuts the packet to so many bytes when it leaves. */
extern void truncate(in bit<32> length);

enum CloneType {
    I2E,
    E2E
}

/* Sends a copy to egress: from ingress (as the packet came in) or from egress (as it leaves). The session says
 * where to. Metadata fields marked @field_list(index) are kept by the preserving form. */
extern void clone(in CloneType type, in bit<32> session);
extern void clone_preserving_field_list(in CloneType type, in bit<32> session, bit<8> index);
@deprecated("Please use 'clone_preserving_field_list' instead")
extern void clone3<T>(in CloneType type, in bit<32> session, in T data);

/* Parses the packet again as it came in, after ingress. */
extern void resubmit_preserving_field_list(bit<8> index);
@deprecated("Please use 'resubmit_preserving_field_list' instead")
extern void resubmit<T>(in T data);

/* Parses the packet again as it leaves, after egress. */
extern void recirculate_preserving_field_list(bit<8> index);
@deprecated("Please use 'recirculate_preserving_field_list' instead")
extern void recirculate<T>(in T data);

/* Sends a message to the control plane. */
extern void digest<T>(in bit<32> receiver, in T data);

/* ---- for developers ---- */

/* Stops the switch with a message if the condition does not hold. */
extern void assert(in bool check);
extern void assume(in bool check);

/* Writes a line to the switch's log; each {} in it stands for a value. */
extern void log_msg(string msg);
extern void log_msg<T>(string msg, in T data);

/* ---- the pipeline ---- */

parser Parser<H, M>(packet_in b,
                    out H parsedHdr,
                    inout M meta,
                    inout standard_metadata_t standard_metadata);

control VerifyChecksum<H, M>(inout H hdr, inout M meta);

@pipeline
control Ingress<H, M>(inout H hdr,
                      inout M meta,
                      inout standard_metadata_t standard_metadata);

@pipeline
control Egress<H, M>(inout H hdr,
                     inout M meta,
                     inout standard_metadata_t standard_metadata);

control ComputeChecksum<H, M>(inout H hdr, inout M meta);

@deparser
control Deparser<H>(packet_out b, in H hdr);

package V1Switch<H, M>(Parser<H, M> p,
                       VerifyChecksum<H, M> vr,
                       Ingress<H, M> ig,
                       Egress<H, M> eg,
                       ComputeChecksum<H, M> ck,
                       Deparser<H> dep);

#endif
