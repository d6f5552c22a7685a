/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's structures, as far as a BPF congestion control uses them, and nothing more.
 *
 * Every structure lists only the members that are used; `preserve_access_index` makes clang record each access by name, and
 * the loader puts in the offsets of the running kernel (CO-RE). One object therefore runs on kernels 6.1 and later, and no
 * kernel headers are needed to build it.
 */
#ifndef NODECTL_TCP_BPF_H
#define NODECTL_TCP_BPF_H

#include "plain_types.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct net {
	__u64 net_cookie;
};

struct possible_net {
	struct net *net;
};

struct sock_common {
	__u32 skc_daddr; /* network byte order */
	__u32 skc_rcv_saddr;
	__u16 skc_dport; /* network byte order */
	__u16 skc_num;
	struct possible_net skc_net;
	__u64 skc_cookie;
};

struct sock {
	struct sock_common __sk_common;
	unsigned long sk_pacing_rate;	  /* bytes of payload a second */
	__u32 sk_pacing_status;
	unsigned long sk_max_pacing_rate; /* the same, from SO_MAX_PACING_RATE; all ones: not set */
};

struct inet_sock {
	struct sock sk;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	struct {
		__u8 pending; /* acknowledgements that are to be sent, ICSK_ACK_... */
	} icsk_ack;
	void *icsk_ulp_data; /* of an MPTCP subflow: its struct mptcp_subflow_context */
	__u64 icsk_ca_priv[13]; /* 104 bytes that belong to the congestion control */
};

struct minmax_sample {
	__u32 t;
	__u32 v;
};

struct minmax {
	struct minmax_sample s[3]; /* s[0].v is the minimum or maximum of the window */
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u64 tcp_mstamp; /* time of the last segment received or sent, in us */
	__u32 srtt_us;	  /* smoothed RTT, in units of 1/8 us */
	struct minmax rtt_min;
	__u32 mss_cache;
	__u32 snd_cwnd;
	__u32 snd_cwnd_cnt;
	__u32 snd_cwnd_clamp;
	__u32 snd_ssthresh;
	__u32 snd_una;
	__u32 snd_nxt;
	__u32 prior_cwnd;
	__u32 delivered;
	__u32 lost;	    /* packets that counted as lost, each time */
	__u32 app_limited;  /* until so many are delivered the application limits the rate; 0: it does not */
	__u32 delivered_ce; /* of these, the packets whose acknowledgements have echoed a mark */
	__u32 rcv_nxt;
	__u8 ecn_flags;
	__u32 packets_out;
	__u32 sacked_out;
	__u32 lost_out;
	__u32 retrans_out;
	__u32 max_packets_out;
	__u32 is_cwnd_limited : 1;
	_Bool is_mptcp; /* a subflow; kernels without MPTCP do not have this member */
};

struct mptcp_subflow_context {
	struct sock *conn;
};

struct ack_sample {
	__u32 pkts_acked;
	__s32 rtt_us; /* negative: this acknowledgement gave no RTT */
	__u32 in_flight;
};

struct rate_sample {
	__u32 prior_delivered; /* tp->delivered when the latest packet that is acknowledged was sent */
	__s32 delivered;       /* since then; negative: this acknowledgement gave no sample */
	long interval_us;      /* in so long; negative: the same */
	long rtt_us;
	int losses; /* packets that newly count as lost */
	__u32 acked_sacked;
	__u32 prior_in_flight;
	_Bool is_app_limited;
};

/* The members by which libbpf matches our table to the kernel's; it looks them up by name. */
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*set_state)(struct sock *sk, __u8 new_state);
	void (*cwnd_event)(struct sock *sk, __u32 event);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	__u32 (*min_tso_segs)(struct sock *sk);
	void (*cong_control)(struct sock *sk, const struct rate_sample *rs);
	__u32 (*undo_cwnd)(struct sock *sk);
	__u32 (*sndbuf_expand)(struct sock *sk);
	char name[16];
	__u32 flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
};

#pragma clang attribute pop

/* A congestion control without this flag may be chosen inside a network namespace only with extra privileges. */
#define TCP_CONG_NON_RESTRICTED 1

/* With this one its connections ask for ECN, all their packets may be marked, and as a receiver it is told of each mark. */
#define TCP_CONG_NEEDS_ECN 2

/* enum tcp_ca_event and enum tcp_ca_state of the kernel: their values are part of its user-space interface. */
#define CA_EVENT_TX_START 0
#define CA_EVENT_CWND_RESTART 1 /* the window was made small after silence */
#define CA_EVENT_ECN_NO_CE 4 /* a packet has arrived without a mark */
#define CA_EVENT_ECN_IS_CE 5 /* and with one */
#define TCP_CA_Open 0
#define TCP_CA_Disorder 1
#define TCP_CA_CWR 2
#define TCP_CA_Recovery 3
#define TCP_CA_Loss 4

/* icsk_ack.pending: an acknowledgement is put off; the next one is not to be */
#define ICSK_ACK_TIMER 2
#define ICSK_ACK_NOW 16

/* ecn_flags: acknowledgements echo a mark */
#define TCP_ECN_DEMAND_CWR 4

/* snd_ssthresh before any loss */
#define TCP_INFINITE_SSTHRESH 0x7fffffff

/* sk_pacing_status: the sender paces by itself, without a qdisc */
#define SK_PACING_NONE 0
#define SK_PACING_NEEDED 1

/* The kernel's struct sock of a struct_ops argument is a TCP socket; the verifier knows that. */
static __always_inline struct tcp_sock *tcp_sk(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

#endif
