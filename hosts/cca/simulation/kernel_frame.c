/* SPDX-License-Identifier: GPL-2.0 */
/* The work of Linux around the callbacks of a congestion control, for a simulation. It has the states of loss recovery, proportional rate
 * reduction (RFC 6937), undo, the window after silence (RFC 2861, as Linux has it), and whether the window limits the sender.
 *
 * The simulation (network.py) decides which packets are sent, by whom, and which are lost, and tells it here. Compiled with
 * SCHEME_SOURCE, the scheme's C file, and SCHEME, its name.
 */
#include SCHEME_SOURCE
#include "growth.h"
#include "frame_calls.h"
#include "rate_samples.h"

#define RTO_MARGIN_US 200000 /* Linux waits at least this much longer than the smoothed RTT */
#define PACING_NONE 0
#define CAN(callback) (SCHEME.callback != NULL)

struct connection {
	struct tcp_sock tp; /* first: a callback gets its address */
	__u8 ca_state;
	__u32 high_seq;	       /* recovery is over when this is acknowledged */
	__u32 prior_ssthresh;  /* to be undone */
	__u32 reduction_sent;  /* packets sent, and delivered, since the window began to be reduced */
	__u32 reduction_delivered;
	__u32 usage_seq;       /* max_packets_out is of the flight up to here */
	__u32 window_used;     /* most packets under way since the window was last full */
	__u64 window_full_us;  /* when that was */
	__u64 sent_us;	       /* last sending */
	__u32 initial_window;
	struct rate_sampler sampler;
	__u32 newest;	       /* of the acknowledgement that comes next: number of the latest transmission that it delivers */
	_Bool has_newest;
	__u32 newly_lost;      /* and packets that count as lost with it */
	_Bool is_marked;       /* the acknowledgement that comes next echoes a mark */
#ifdef MPTCP_PATHS_H
	struct mptcp_subflow_context subflow;
#endif
};

/* Functions of the kernel that schemes call. */
__u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked)
{
	__u32 room = tp->snd_ssthresh - tp->snd_cwnd;
	__u32 taken = acked < room ? acked : room;

	set_window(tp, tp->snd_cwnd + taken);
	return acked - taken;
}

__u32 tcp_reno_undo_cwnd(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

__u32 tcp_reno_ssthresh(struct sock *sk)
{
	return half_window(tcp_sk(sk)->snd_cwnd);
}

static __u32 acknowledgements_sent, last_sent_seq;
static _Bool last_sent_was_marked;

void __tcp_send_ack(struct sock *sk, __u32 received, __u16 flags)
{
	acknowledgements_sent++;
	last_sent_seq = received;
	last_sent_was_marked = (tcp_sk(sk)->ecn_flags & TCP_ECN_DEMAND_CWR) != 0;
}

#define sock_of(connection) ARGUMENT((struct sock *)&(connection)->tp)

static void enter(struct connection *connection, __u8 ca_state)
{
	if (CAN(set_state))
		CALL_WITH(void, set_state, sock_of(connection), ca_state);
	connection->ca_state = ca_state;
}

static _Bool is_reducing(const struct connection *connection)
{
	return connection->ca_state == TCP_CA_CWR || connection->ca_state == TCP_CA_Recovery;
}

static __u32 current_ssthresh(const struct connection *connection)
{
	const struct tcp_sock *tp = &connection->tp;
	__u32 most = tp->snd_cwnd - tp->snd_cwnd / 4;

	return is_reducing(connection) || tp->snd_ssthresh > most ? tp->snd_ssthresh : most;
}

static struct net namespace = {.net_cookie = 1};
static __u16 connections_opened;

/* A connection whose handshake took `rtt_us`; `mptcp_connection` is the address of the state that its subflows share, 0 for plain TCP. */
struct connection *frame_open(__u32 mss_bytes, __u32 initial_window, __u32 rtt_us, __u64 now_us, __u64 mptcp_connection)
{
	struct connection *connection = calloc(1, sizeof(*connection));
	struct tcp_sock *tp = &connection->tp;

	tp->tcp_mstamp = now_us;
	tp->mss_cache = mss_bytes;
	tp->snd_cwnd = connection->initial_window = initial_window;
	tp->snd_cwnd_clamp = ~0U;
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	tp->srtt_us = rtt_us << 3;
	tp->rtt_min.s[0].v = rtt_us;
	tp->inet_conn.icsk_inet.sk.sk_max_pacing_rate = PACING_RATE_UNSET;
	tp->is_mptcp = mptcp_connection != 0;
#ifdef MPTCP_PATHS_H
	connection->subflow.conn = (struct sock *)mptcp_connection;
	tp->inet_conn.icsk_ulp_data = &connection->subflow;
#endif
	tp->inet_conn.icsk_inet.sk.__sk_common.skc_net.net = &namespace;
	tp->inet_conn.icsk_inet.sk.__sk_common.skc_num = ++connections_opened;
	if (CAN(init))
		CALL_WITH(void, init, sock_of(connection));
	return connection;
}

void frame_close(struct connection *connection)
{
	if (CAN(release))
		CALL_WITH(void, release, sock_of(connection));
	free(connection->sampler.kept);
	free(connection);
}

/* Before something new is sent: the window after silence. */
void frame_before_sending(struct connection *connection, __u64 now_us)
{
	struct tcp_sock *tp = &connection->tp;
	__u64 rto_us = smoothed_rtt_us(tp) + RTO_MARGIN_US, silent_us = now_us - connection->sent_us;

	tp->tcp_mstamp = now_us;
	if (tp->packets_out == 0 && connection->sent_us != 0 && silent_us > rto_us && !CAN(cong_control)) {
		__u32 least = tp->snd_cwnd < connection->initial_window ? tp->snd_cwnd : connection->initial_window;

		if (CAN(cwnd_event))
			CALL_WITH(void, cwnd_event, sock_of(connection), CA_EVENT_CWND_RESTART);
		tp->snd_ssthresh = current_ssthresh(connection);
		for (; silent_us > rto_us && tp->snd_cwnd > least; silent_us -= rto_us)
			tp->snd_cwnd /= 2;
		if (tp->snd_cwnd < least)
			tp->snd_cwnd = least;
		connection->window_full_us = now_us;
		connection->window_used = 0;
	}
	if (packets_in_flight(tp) == 0 && CAN(cwnd_event))
		CALL_WITH(void, cwnd_event, sock_of(connection), CA_EVENT_TX_START);
}

/* A packet was sent; `is_new`: not a retransmission. */
void frame_sent(struct connection *connection, __u64 now_us, _Bool is_new)
{
	struct tcp_sock *tp = &connection->tp;

	if (CAN(cong_control))
		sampler_sent(&connection->sampler, tp, now_us);
	connection->sent_us = now_us;
	connection->reduction_sent += is_reducing(connection);
	if (is_new) {
		tp->packets_out++;
		tp->snd_nxt += tp->mss_cache;
	} else {
		tp->retrans_out++;
	}
}

/* The sender has sent what it may; `is_limited`: by the window. Else the application has no more. */
void frame_sending_over(struct connection *connection, __u64 now_us, _Bool is_limited)
{
	struct tcp_sock *tp = &connection->tp;

	if (!is_limited && packets_in_flight(tp) < tp->snd_cwnd && tp->lost_out <= tp->retrans_out)
		sampler_ran_dry(tp);
	if ((__s32)(tp->snd_una - connection->usage_seq) >= 0 || is_limited ||
	    (!tp->is_cwnd_limited && tp->packets_out > tp->max_packets_out)) {
		tp->is_cwnd_limited = is_limited;
		tp->max_packets_out = tp->packets_out;
		connection->usage_seq = tp->snd_nxt;
	}
	if (is_window_limited(tp)) {
		connection->window_used = 0;
		connection->window_full_us = now_us;
		return;
	}
	if (tp->packets_out > connection->window_used)
		connection->window_used = tp->packets_out;
	if (now_us - connection->window_full_us < smoothed_rtt_us(tp) + RTO_MARGIN_US || CAN(cong_control))
		return;
	if (connection->ca_state == TCP_CA_Open) {
		__u32 used = connection->window_used > connection->initial_window ? connection->window_used : connection->initial_window;

		if (used < tp->snd_cwnd) {
			tp->snd_ssthresh = current_ssthresh(connection);
			tp->snd_cwnd = (tp->snd_cwnd + used) / 2;
		}
		connection->window_used = 0;
	}
	connection->window_full_us = now_us;
}

static void note_rtt_sample(struct tcp_sock *tp, __u32 rtt_us)
{
	tp->srtt_us = tp->srtt_us == 0 ? rtt_us << 3 : tp->srtt_us - (tp->srtt_us >> 3) + rtt_us;
	if (rtt_us < tp->rtt_min.s[0].v || tp->rtt_min.s[0].v == 0)
		tp->rtt_min.s[0].v = rtt_us;
}

static void begin_reduction(struct connection *connection, __u8 ca_state)
{
	struct tcp_sock *tp = &connection->tp;

	connection->high_seq = tp->snd_nxt;
	connection->prior_ssthresh = current_ssthresh(connection);
	connection->reduction_sent = connection->reduction_delivered = 0;
	tp->prior_cwnd = tp->snd_cwnd;
	tp->snd_ssthresh = CALL_WITH(__u32, ssthresh, sock_of(connection));
	enter(connection, ca_state);
}

/* Proportional rate reduction: the window falls to the threshold while the packets of one round trip are delivered. */
static void reduce(struct connection *connection, __u32 delivered, _Bool has_advanced)
{
	struct tcp_sock *tp = &connection->tp;
	__u32 in_flight = packets_in_flight(tp);
	__s64 room = (__s64)tp->snd_ssthresh - in_flight, may_send;

	if (delivered == 0)
		return;
	connection->reduction_delivered += delivered;
	if (room < 0) {
		may_send = ((__u64)tp->snd_ssthresh * connection->reduction_delivered + tp->prior_cwnd - 1) / tp->prior_cwnd;
		may_send -= connection->reduction_sent;
	} else {
		may_send = (__s64)connection->reduction_delivered - connection->reduction_sent;
		if (may_send < (__s64)delivered)
			may_send = delivered;
		may_send += has_advanced;
		if (may_send > room)
			may_send = room;
	}
	if (may_send < (connection->reduction_sent == 0))
		may_send = connection->reduction_sent == 0;
	tp->snd_cwnd = in_flight + (__u32)may_send;
}

/* An acknowledgement has come: `acked` packets in sequence, `delivered` in all; the other counts are what holds now. `first_rtt_us` is the
 * RTT of the first packet acknowledged, which the kernel smooths, `last_rtt_us` of the last one, which it tells the scheme; 0: of neither.
 */
void frame_acked(struct connection *connection, __u64 now_us, __u32 acked, __u32 delivered, __u32 first_rtt_us, __u32 last_rtt_us,
		 __u32 sacked_out, __u32 lost_out, __u32 retrans_out)
{
	struct tcp_sock *tp = &connection->tp;
	struct ack_sample sample = {delivered, last_rtt_us ? (__s32)last_rtt_us : -1, packets_in_flight(tp)};
	struct rate_sample rates = {.delivered = -1, .interval_us = -1};

	tp->tcp_mstamp = now_us;
	tp->delivered += delivered;
	tp->lost += connection->newly_lost;
	if (connection->is_marked)
		tp->delivered_ce += delivered;
	tp->snd_una += acked * tp->mss_cache;
	tp->packets_out -= acked;
	tp->sacked_out = sacked_out;
	tp->lost_out = lost_out;
	tp->retrans_out = retrans_out;
	if (first_rtt_us)
		note_rtt_sample(tp, first_rtt_us);
	if (CAN(pkts_acked) && delivered)
		CALL_WITH(void, pkts_acked, sock_of(connection), ARGUMENT(&sample));
	if (connection->ca_state != TCP_CA_Open && (__s32)(tp->snd_una - connection->high_seq) >= (connection->ca_state == TCP_CA_CWR)) {
		if (is_reducing(connection) && !CAN(cong_control))
			tp->snd_cwnd = tp->snd_ssthresh;
		enter(connection, TCP_CA_Open);
	}
	if (connection->ca_state == TCP_CA_Open && lost_out)
		begin_reduction(connection, TCP_CA_Recovery);
	else if (connection->ca_state == TCP_CA_Open && connection->is_marked)
		begin_reduction(connection, TCP_CA_CWR);
	else if (connection->ca_state == TCP_CA_CWR && lost_out)
		enter(connection, TCP_CA_Recovery);
	connection->is_marked = 0;
	if (CAN(cong_control) && connection->has_newest)
		rates = sampler_acked(&connection->sampler, tp, now_us, connection->newest);
	rates.rtt_us = last_rtt_us ? (long)last_rtt_us : -1;
	rates.losses = (int)connection->newly_lost;
	rates.acked_sacked = delivered;
	connection->has_newest = 0;
	connection->newly_lost = 0;
	if (CAN(cong_control))
		CALL_WITH(void, cong_control, sock_of(connection), ARGUMENTS_WITH_RATES(&rates));
	else if (is_reducing(connection))
		reduce(connection, delivered, acked != 0);
	else if (acked)
		CALL_WITH(void, cong_avoid, sock_of(connection), tp->snd_una, delivered);
}

/* The acknowledgement that comes next delivers transmission `newest`, by its number, as the latest one. */
void frame_delivers(struct connection *connection, __u32 newest)
{
	connection->newest = newest;
	connection->has_newest = 1;
}

/* With the acknowledgement that comes next so many packets count as lost. */
void frame_loses(struct connection *connection, __u32 packets)
{
	connection->newly_lost = packets;
}

/* The acknowledgement that comes next echoes a mark (ECE). */
void frame_marked(struct connection *connection)
{
	connection->is_marked = 1;
}

/* As a receiver: a packet has arrived, and the acknowledgement of those before it `is_put_off`. Schemes that do not ask for ECN are not
 * told.
 */
void frame_received(struct connection *connection, _Bool is_marked, _Bool is_put_off)
{
	struct tcp_sock *tp = &connection->tp;

	tp->inet_conn.icsk_ack.pending = is_put_off ? ICSK_ACK_TIMER : 0;
	if (SCHEME.flags & TCP_CONG_NEEDS_ECN && CAN(cwnd_event))
		CALL_WITH(void, cwnd_event, sock_of(connection), is_marked ? CA_EVENT_ECN_IS_CE : CA_EVENT_ECN_NO_CE);
	tp->rcv_nxt += tp->mss_cache;
}

/* The form of the next acknowledgement: bit 0 it echoes a mark, bit 1 it is sent at once. */
__u32 frame_next_acknowledgement(const struct connection *connection)
{
	const struct tcp_sock *tp = &connection->tp;

	return (tp->ecn_flags & TCP_ECN_DEMAND_CWR ? 1 : 0) + (tp->inet_conn.icsk_ack.pending & ICSK_ACK_NOW ? 2 : 0);
}

/* Acknowledgements that the scheme has sent itself: how many, and of the last one up to where, and whether it echoed a mark. */
__u32 frame_acknowledgements_sent(void)
{
	return acknowledgements_sent;
}

_Bool frame_last_sent_was_marked(void)
{
	return last_sent_was_marked;
}

__u32 frame_last_sent_seq(void)
{
	return last_sent_seq;
}

/* The retransmission timer has run out: everything that is not acknowledged counts as lost. */
void frame_timed_out(struct connection *connection, __u64 now_us)
{
	struct tcp_sock *tp = &connection->tp;

	tp->tcp_mstamp = now_us;
	if (connection->ca_state != TCP_CA_Loss) {
		connection->prior_ssthresh = current_ssthresh(connection);
		tp->prior_cwnd = tp->snd_cwnd;
		tp->snd_ssthresh = CALL_WITH(__u32, ssthresh, sock_of(connection));
	}
	tp->lost += tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
	tp->lost_out = tp->packets_out - tp->sacked_out;
	tp->retrans_out = 0;
	tp->snd_cwnd = packets_in_flight(tp) + 1;
	connection->high_seq = tp->snd_nxt;
	enter(connection, TCP_CA_Loss);
}

/* The last loss turns out to have been none. */
void frame_undo(struct connection *connection)
{
	struct tcp_sock *tp = &connection->tp;

	tp->snd_cwnd = CALL_WITH(__u32, undo_cwnd, sock_of(connection));
	if (connection->prior_ssthresh > tp->snd_ssthresh)
		tp->snd_ssthresh = connection->prior_ssthresh;
	tp->lost_out = 0;
	enter(connection, TCP_CA_Open);
}

void frame_set_max_pacing_rate(struct connection *connection, __u64 bytes_per_s)
{
	connection->tp.inet_conn.icsk_inet.sk.sk_max_pacing_rate = bytes_per_s;
	connection->tp.inet_conn.icsk_inet.sk.sk_pacing_rate = bytes_per_s;
}

/* Sets a subflow's rate as the sending program does for the congestion control `nodectl`; a rate of 0 takes it out again. */
void frame_set_subflow_rate(const struct connection *connection, __u64 bytes_per_s)
{
#ifdef SUBFLOW_RATES_H
	const struct sock_common *ends = &connection->tp.inet_conn.icsk_inet.sk.__sk_common;
	struct {
		struct subflow_key key;
		__u64 rate;
	} element = {{.namespace_cookie = namespace.net_cookie, .local_port = ends->skc_num}, bytes_per_s};

	write_from_user_space(subflow_rates, element, bytes_per_s != 0);
#else
	(void)connection, (void)bytes_per_s;
#endif
}

__u64 frame_pacing_rate(const struct connection *connection)
{
	return connection->tp.inet_conn.icsk_inet.sk.sk_pacing_rate;
}

__u32 frame_window(const struct connection *connection)
{
	return connection->tp.snd_cwnd;
}

/* Puts the connection into congestion avoidance at `window`, or begins slow start at it if `threshold` is larger. */
void frame_set_window(struct connection *connection, __u32 window, __u32 threshold)
{
	connection->tp.snd_cwnd = window;
	connection->tp.snd_ssthresh = threshold;
}

__u32 frame_ssthresh(const struct connection *connection)
{
	return connection->tp.snd_ssthresh;
}

__u32 frame_smoothed_rtt_us(const struct connection *connection)
{
	return smoothed_rtt_us(&connection->tp);
}

__u32 frame_ca_state(const struct connection *connection)
{
	return connection->ca_state;
}
