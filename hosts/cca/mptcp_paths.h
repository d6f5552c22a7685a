/* SPDX-License-Identifier: GPL-2.0 */
/* The news that the subflows of one MPTCP connection tell each other: window and RTT of each, in a BPF map with an entry a connection.
 *
 * A subflow finds its connection through the kernel's own pointer, mptcp_subflow_context.conn, which is the key of the map. It takes one of
 * the entry's places with its first acknowledgement and gives it back in `release`; the last one to go removes the entry. A socket that is
 * no subflow (plain TCP, or a connection that fell back to it) has no entry, and no place means the same: it goes on by itself.
 *
 * A retransmission time-out takes a subflow's window out of the entry until an acknowledgement shows that its path is alive. Otherwise the
 * others would go on to leave it a share that it does not use: for ever, where the path is dead, since the subflow itself stays open.
 */
#ifndef MPTCP_PATHS_H
#define MPTCP_PATHS_H

#include "scheme.h"
#include "coupled_paths.h"

#ifdef __KERNEL__
#include <mptcp/protocol.h> /* struct mptcp_subflow_context */
#endif

#define CONNECTIONS_MAX 16384

struct mptcp_paths {
	struct coupled_path paths[PATHS_MAX];
	__u64 owners[PATHS_MAX]; /* the subflow's socket; 0: free */
	__u32 between[PATHS_MAX]; /* packets between losses, from schemes that ask for them */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, CONNECTIONS_MAX);
	__type(key, __u64);
	__type(value, struct mptcp_paths);
} connections SEC(".maps");

/* A subflow's state. */
struct subflow {
	__u64 credit;
	__u64 connection; /* key of the map; 0: none yet */
	__u32 place;	  /* in the entry, from 0 */
};

static __always_inline __u64 connection_of(struct sock *sk)
{
	struct mptcp_subflow_context *context;

	if (!bpf_core_field_exists(struct tcp_sock, is_mptcp) || !tcp_sk(sk)->is_mptcp)
		return 0;
	context = ((struct inet_connection_sock *)sk)->icsk_ulp_data;
	return context ? (__u64)BPF_CORE_READ(context, conn) : 0;
}

static __always_inline struct mptcp_paths *entry_of(__u64 connection)
{
	struct mptcp_paths *entry = bpf_map_lookup_elem(&connections, &connection);

	if (!entry) {
		struct mptcp_paths empty = {};

		bpf_map_update_elem(&connections, &connection, &empty, BPF_NOEXIST);
		entry = bpf_map_lookup_elem(&connections, &connection);
	}
	return entry;
}

static __always_inline struct coupled_path path_of(const struct tcp_sock *tp)
{
	struct coupled_path path = {tp->snd_cwnd, tp->srtt_us >> 3};

	return path;
}

/* The windows of all subflows, with this one's brought up to date; NULL for a socket without a place. */
static __always_inline struct mptcp_paths *update_paths(struct sock *sk, struct subflow *state)
{
	__u64 connection = connection_of(sk), owner = (__u64)sk;
	struct mptcp_paths *entry;
	__u32 place;

	if (!connection)
		return 0;
	entry = entry_of(connection);
	if (!entry)
		return 0;
	place = state->place & (PATHS_MAX - 1);
	if (state->connection != connection || entry->owners[place] != owner) {
		for (place = 0; place < PATHS_MAX; place++)
			if (__sync_val_compare_and_swap(&entry->owners[place], 0, owner) == 0)
				break;
		if (place >= PATHS_MAX)
			return 0;
		state->connection = connection;
		state->place = place;
	}
	place &= PATHS_MAX - 1;
	entry->paths[place] = path_of(tcp_sk(sk));
	return entry;
}

/* The subflow's state of loss recovery becomes `ca_state`: its window now, while no acknowledgement brings it up to date. */
static __always_inline void note_state(struct sock *sk, const struct subflow *state, __u8 ca_state)
{
	__u64 connection = state->connection;
	struct mptcp_paths *entry = connection ? bpf_map_lookup_elem(&connections, &connection) : 0;
	__u32 place = state->place & (PATHS_MAX - 1);
	struct coupled_path path = path_of(tcp_sk(sk));

	if (!entry || entry->owners[place] != (__u64)sk)
		return;
	if (ca_state == TCP_CA_Loss)
		path.window = 0;
	else if ((ca_state == TCP_CA_CWR || ca_state == TCP_CA_Recovery) && tcp_sk(sk)->snd_ssthresh < path.window)
		path.window = tcp_sk(sk)->snd_ssthresh;
	entry->paths[place] = path;
}

/* Gives the place back, and the entry if it was the last one. */
static __always_inline void leave_paths(struct sock *sk, struct subflow *state)
{
	__u64 connection = state->connection, owner = (__u64)sk, others = 0;
	struct mptcp_paths *entry = connection ? bpf_map_lookup_elem(&connections, &connection) : 0;
	__u32 place = state->place & (PATHS_MAX - 1);
	int index;

	if (!entry || entry->owners[place] != owner)
		return;
	entry->paths[place].window = 0;
	entry->owners[place] = 0;
	for (index = 0; index < PATHS_MAX; index++)
		others |= entry->owners[index];
	if (!others)
		bpf_map_delete_elem(&connections, &connection);
	state->connection = 0;
}

/* `cong_avoid` of a scheme whose subflows grow together: growth(paths, own) in 65536ths of a packet for each window acknowledged, beyond slow
 * start; a socket without a place is standard TCP.
 */
#define GROWS_TOGETHER(scheme, growth)                                                                     \
	CALLBACK(void, scheme, cong_avoid)                                                                 \
	{                                                                                                  \
		struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));                                                \
		struct subflow *state = STATE_OF(SOCK_OF(ctx), subflow);                                   \
		struct mptcp_paths *entry = update_paths(SOCK_OF(ctx), state);                             \
		__u32 acked = after_slow_start(tp, ACKED_OF(ctx));                                         \
                                                                                                           \
		if (acked)                                                                                 \
			grow(tp, &state->credit, entry ? growth(entry->paths, path_of(tp)) : ONE_PACKET, acked); \
	}

/* The callbacks `set_state` and `release` of a scheme whose subflows share their windows. */
#define SHARES_PATHS(scheme)                                                                     \
	CALLBACK(void, scheme, set_state)                                                        \
	{                                                                                        \
		note_state(SOCK_OF(ctx), STATE_OF(SOCK_OF(ctx), subflow), (__u8)ctx[1]); \
	}                                                                                        \
	CALLBACK(void, scheme, release)                                                          \
	{                                                                                        \
		leave_paths(SOCK_OF(ctx), STATE_OF(SOCK_OF(ctx), subflow));                \
	}

#endif
