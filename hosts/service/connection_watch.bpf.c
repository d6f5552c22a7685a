// SPDX-License-Identifier: GPL-2.0
/* Watches the TCP connections of a control group for the host service (docs/host-service.md). Gives them the congestion control `nodectl`,
 * and tells when one begins to send in earnest. Counts the bytes that it sends, notes its RTT, and tells when it has nothing more to send.
 *
 * A cgroup sock_ops program: it changes nothing in the programs whose connections these are. IPv4 alone, which negotiation messages are.
 * hosts/service/connection_watch.py loads it and is the other side of its maps.
 */
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

char _license[] SEC("license") = "GPL";

#define CONNECTIONS_MAX 65536
#define EVENT_BYTES (1 << 18)
#define NAME_LENGTH 16 /* TCP_CA_NAME_MAX */

/* From socket.h and tcp.h, which cannot be included for the target bpf. */
#define FAMILY_INET 2
#define FAMILY_INET6 10
#define LEVEL_TCP 6
#define OPTION_CONGESTION 13
#define LOOPBACK_NETWORK 127
#define TCP_OPTION_TIMESTAMPS 8
#define TCP_OPTION_TIMESTAMPS_BYTES 10

#define EARNEST_SEGMENTS 10 /* of less than full size: as much as an initial window */

enum event_kind { EVENT_SENDS = 1, EVENT_IS_OVER = 2 };

enum connection_state {
	STATE_QUIET = 0,   /* sends nothing, or so little that it has no rate */
	STATE_SENDING = 1, /* the service knows it */
	STATE_ALONE = 2,   /* nobody answers on its way: it is to go on with the other congestion control */
};

struct settings {
	__u64 namespace_cookie; /* of the connections that are watched; others share the control group */
	__u32 first_window;	/* packets, until there is a rate; 0: the system's */
	__u32 reserved;
	char congestion_control[NAME_LENGTH];
	char alone[NAME_LENGTH]; /* the congestion control of those that nobody answers */
};

struct connection {
	__u32 state;
	__u32 has_timestamps;
	__u64 bytes_sent; /* of payload, with bytes that were sent again */
	__u64 quiet_since; /* bytes_sent when it became quiet */
	__u32 rtt_us;	   /* smoothed, at the latest packet */
	__u32 reserved;
};

struct event {
	__u64 cookie;
	__u32 kind;
	__u32 local_address; /* network byte order, as the remote one */
	__u32 remote_address;
	__u16 local_port;
	__u16 remote_port;
	__u32 rtt_us;
	__u32 segment_bytes;
	__u32 has_timestamps;
	__u32 reserved;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct settings);
} watch_settings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CONNECTIONS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct connection);
} watched SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, EVENT_BYTES);
} watch_events SEC(".maps");

static __always_inline const struct settings *get_settings(void)
{
	__u32 first = 0;

	return bpf_map_lookup_elem(&watch_settings, &first);
}

/* IPv4, or IPv4 in a socket of IPv6 (a server that listens to both); never to this host itself. */
static __always_inline _Bool is_negotiable(struct bpf_sock_ops *ops)
{
	if (ops->family == FAMILY_INET6) {
		if (ops->remote_ip6[0] || ops->remote_ip6[1] || ops->remote_ip6[2] != bpf_htonl(0xffff))
			return 0;
	} else if (ops->family != FAMILY_INET) {
		return 0;
	}
	return bpf_ntohl(ops->remote_ip4) >> 24 != LOOPBACK_NETWORK && ops->remote_ip4 != ops->local_ip4;
}

static __always_inline _Bool has_timestamps(struct bpf_sock_ops *ops)
{
	__u8 option[TCP_OPTION_TIMESTAMPS_BYTES] = { TCP_OPTION_TIMESTAMPS };

	return bpf_load_hdr_opt(ops, option, sizeof(option), 0) > 0;
}

/* The kernel keeps it in eighths. */
static __always_inline __u32 rtt_us(struct bpf_sock_ops *ops)
{
	return ops->srtt_us >> 3;
}

static __always_inline void tell(struct bpf_sock_ops *ops, __u64 cookie, __u32 kind, __u32 timestamps)
{
	struct event *event = bpf_ringbuf_reserve(&watch_events, sizeof(*event), 0);

	if (!event)
		return;
	event->cookie = cookie;
	event->kind = kind;
	event->local_address = ops->local_ip4;
	event->remote_address = ops->remote_ip4;
	event->local_port = ops->local_port;
	event->remote_port = bpf_ntohl(ops->remote_port);
	event->rtt_us = rtt_us(ops);
	event->segment_bytes = ops->mss_cache;
	event->has_timestamps = timestamps;
	event->reserved = 0;
	bpf_ringbuf_submit(event, 0);
}

/* Whether the program has chosen it for itself: then it negotiates for itself, too. */
static __always_inline _Bool is_chosen(struct bpf_sock_ops *ops, const char *name)
{
	char chosen[NAME_LENGTH] = {};

	if (bpf_getsockopt(ops, LEVEL_TCP, OPTION_CONGESTION, chosen, sizeof(chosen)))
		return 0;
	for (int i = 0; i < NAME_LENGTH; i++) {
		if (chosen[i] != name[i])
			return 0;
		if (!name[i])
			break;
	}
	return 1;
}

static __always_inline void choose(struct bpf_sock_ops *ops, const char *name)
{
	char copy[NAME_LENGTH];

	__builtin_memcpy(copy, name, sizeof(copy));
	bpf_setsockopt(ops, LEVEL_TCP, OPTION_CONGESTION, copy, sizeof(copy));
}

static __always_inline void on_established(struct bpf_sock_ops *ops)
{
	const struct settings *settings = get_settings();
	struct connection connection = {};
	__u64 cookie = bpf_get_socket_cookie(ops);
	int window;

	if (!settings || bpf_get_netns_cookie(ops) != settings->namespace_cookie || !is_negotiable(ops))
		return;
	if (is_chosen(ops, settings->congestion_control))
		return;
	connection.has_timestamps = has_timestamps(ops);
	if (bpf_map_update_elem(&watched, &cookie, &connection, BPF_ANY))
		return; /* too many: it stays as it is */
	choose(ops, settings->congestion_control);
	window = settings->first_window;
	if (window)
		bpf_setsockopt(ops, LEVEL_TCP, TCP_BPF_IW, &window, sizeof(window));
	/* Header options are asked for before each packet, which is how it is seen. None is written. */
	bpf_sock_ops_cb_flags_set(ops, BPF_SOCK_OPS_STATE_CB_FLAG | BPF_SOCK_OPS_RTT_CB_FLAG | BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG);
}

static __always_inline void on_packet(struct bpf_sock_ops *ops)
{
	__u64 cookie = bpf_get_socket_cookie(ops);
	struct connection *connection;
	__u32 bytes = ops->skb_len, segment = ops->mss_cache;

	if (bytes == 0)
		return;
	connection = bpf_map_lookup_elem(&watched, &cookie);
	if (!connection)
		return;
	connection->bytes_sent += bytes;
	connection->rtt_us = rtt_us(ops);
	if (connection->state != STATE_QUIET)
		return;
	if (bytes < segment && connection->bytes_sent - connection->quiet_since < EARNEST_SEGMENTS * (__u64)segment)
		return;
	connection->state = STATE_SENDING;
	tell(ops, cookie, EVENT_SENDS, connection->has_timestamps);
}

static __always_inline void on_round_trip(struct bpf_sock_ops *ops)
{
	__u64 cookie = bpf_get_socket_cookie(ops);
	const struct connection *connection = bpf_map_lookup_elem(&watched, &cookie);
	const struct settings *settings = get_settings();

	if (!connection || !settings || connection->state != STATE_ALONE)
		return;
	choose(ops, settings->alone);
	bpf_sock_ops_cb_flags_set(ops, BPF_SOCK_OPS_STATE_CB_FLAG);
}

/* All is sent and acknowledged when it comes to FIN_WAIT2; or it ends some other way. */
static __always_inline void on_state(struct bpf_sock_ops *ops)
{
	__u64 cookie = bpf_get_socket_cookie(ops);
	struct connection *connection;

	if (ops->args[1] != BPF_TCP_FIN_WAIT2 && ops->args[1] != BPF_TCP_CLOSE)
		return;
	connection = bpf_map_lookup_elem(&watched, &cookie);
	if (!connection)
		return;
	if (connection->state != STATE_QUIET)
		tell(ops, cookie, EVENT_IS_OVER, connection->has_timestamps);
	bpf_map_delete_elem(&watched, &cookie);
}

SEC("sockops")
int connection_watch(struct bpf_sock_ops *ops)
{
	switch (ops->op) {
	case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		on_established(ops);
		break;
	case BPF_SOCK_OPS_HDR_OPT_LEN_CB:
		on_packet(ops);
		break;
	case BPF_SOCK_OPS_RTT_CB:
		on_round_trip(ops);
		break;
	case BPF_SOCK_OPS_STATE_CB:
		on_state(ops);
		break;
	}
	return 1;
}
