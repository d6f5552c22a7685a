/* SPDX-License-Identifier: GPL-2.0 */
/* Rates that are written into a map: those of the subflows of MPTCP connections, by the sending program, and those of any program's
 * connections, by the host service.
 *
 * An MPTCP socket takes no SO_MAX_PACING_RATE, and a program cannot reach the sockets of its subflows. It knows their addresses, though: a
 * subflow is found by these and the cookie of its network namespace. hosts/cca/subflow_rates.py is the other side.
 */
#ifndef SUBFLOW_RATES_H
#define SUBFLOW_RATES_H

#include "scheme.h"

#define SUBFLOW_RATES_MAX 16384
#define SUBFLOW_RATE_NONE 0 /* of no MPTCP subflow's rate: nothing is sent */

struct subflow_key {
	__u64 namespace_cookie;
	__u32 local_address; /* network byte order, as the remote port */
	__u32 remote_address;
	__u16 local_port;
	__u16 remote_port;
	__u32 reserved;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SUBFLOW_RATES_MAX);
	__type(key, struct subflow_key);
	__type(value, __u64); /* bytes of payload a second */
} subflow_rates SEC(".maps");
WRITTEN_FROM_USER_SPACE(subflow_rates);

static __always_inline _Bool is_subflow(struct sock *sk)
{
	return bpf_core_field_exists(struct tcp_sock, is_mptcp) && tcp_sk(sk)->is_mptcp;
}

/* The rate of a subflow or connection; SUBFLOW_RATE_NONE: it has none yet. */
static __always_inline __u64 subflow_rate(struct sock *sk)
{
	struct subflow_key key = {};
	__u64 *rate;

	key.namespace_cookie = BPF_CORE_READ(sk, __sk_common.skc_net.net, net_cookie);
	key.local_address = sk->__sk_common.skc_rcv_saddr;
	key.remote_address = sk->__sk_common.skc_daddr;
	key.local_port = sk->__sk_common.skc_num;
	key.remote_port = sk->__sk_common.skc_dport;
	rate = bpf_map_lookup_elem(&subflow_rates, &key);
	return rate ? *rate : SUBFLOW_RATE_NONE;
}

#endif
