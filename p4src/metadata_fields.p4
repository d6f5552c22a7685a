// The fields of metadata_t that every variant has. They stand inside the struct (headers.p4, headers_v2.p4).
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

// The packet is the rest of a packet-out whose first entries have been handled.
@field_list(KEEP_CONTINUATION) bit<1> is_continuation;

// The time at which the packet came in. A recirculated packet has no timestamp of its own, so the copies pass it on.
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

traffic_manager_t traffic_manager;

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
