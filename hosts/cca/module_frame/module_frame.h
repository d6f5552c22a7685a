/* SPDX-License-Identifier: GPL-2.0 */
/* The module frame: a scheme as a loadable module, against the kernel's own headers. Written for Linux 6.10 and later.
 *
 * The build of the module defines REGISTERED_NAME, the name of the congestion control in the kernel, and SET_CONSTANT for constants
 * (settable.h).
 */
#ifndef MODULE_FRAME_H
#define MODULE_FRAME_H

#include <linux/module.h>
#include <linux/version.h>
#include <net/tcp.h>
#include <uapi/linux/bpf.h> /* a scheme may use its numbers */

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "sending.h"
#include "user_map.h"

/* Begins a callback, which takes its arguments as an array as a BPF program does, after the function that the kernel calls. */
#define CALLBACK(type, scheme, callback)             \
	static type scheme##_##callback(__u64 *ctx); \
	KERNEL_CALLS_##callback(scheme)              \
	static type scheme##_##callback(__u64 *ctx)

/* As around a BPF program, what a map's lookup gives stays until the callback returns. */
#define KERNEL_CALLS(type, scheme, callback, parameters, ...)                   \
	static type __maybe_unused scheme##_##callback##_called parameters \
	{                                                                       \
		__u64 ctx[] = {(__u64)sk, ##__VA_ARGS__};                       \
                                                                                \
		guard(rcu)();                                                   \
		return scheme##_##callback(ctx);                                \
	}

#define KERNEL_CALLS_ssthresh(scheme) KERNEL_CALLS(u32, scheme, ssthresh, (struct sock *sk))
#define KERNEL_CALLS_cong_avoid(scheme) \
	KERNEL_CALLS(void, scheme, cong_avoid, (struct sock *sk, u32 ack, u32 acked), ack, acked)
#define KERNEL_CALLS_set_state(scheme) KERNEL_CALLS(void, scheme, set_state, (struct sock *sk, u8 new_state), new_state)
#define KERNEL_CALLS_cwnd_event(scheme) \
	KERNEL_CALLS(void, scheme, cwnd_event, (struct sock *sk, enum tcp_ca_event event), event) \
	KERNEL_CALLS_cwnd_event_tx_start(scheme)
#define KERNEL_CALLS_in_ack_event(scheme) KERNEL_CALLS(void, scheme, in_ack_event, (struct sock *sk, u32 flags), flags)
#define KERNEL_CALLS_pkts_acked(scheme) \
	KERNEL_CALLS(void, scheme, pkts_acked, (struct sock *sk, const struct ack_sample *sample), (__u64)sample)
#define KERNEL_CALLS_min_tso_segs(scheme) KERNEL_CALLS(u32, scheme, min_tso_segs, (struct sock *sk))
#define KERNEL_CALLS_cong_control(scheme)                                                                           \
	KERNEL_CALLS(void, scheme, cong_control, (struct sock *sk, u32 ack, int flag, const struct rate_sample *rates), \
		     ack, flag, (__u64)rates)
#define RATES_OF(ctx) ((const struct rate_sample *)(ctx)[3])
#define KERNEL_CALLS_undo_cwnd(scheme) KERNEL_CALLS(u32, scheme, undo_cwnd, (struct sock *sk))
#define KERNEL_CALLS_sndbuf_expand(scheme) KERNEL_CALLS(u32, scheme, sndbuf_expand, (struct sock *sk))
#define KERNEL_CALLS_init(scheme) KERNEL_CALLS(void, scheme, init, (struct sock *sk))
#define KERNEL_CALLS_release(scheme) KERNEL_CALLS(void, scheme, release, (struct sock *sk))

#define HAS(scheme, callback) .callback = scheme##_##callback##_called

/* Since Linux 7.1 the first packet after silence is told by a callback of its own, and no longer as an event of cwnd_event. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
#define KERNEL_CALLS_cwnd_event_tx_start(scheme)                                        \
	static void __maybe_unused scheme##_cwnd_event_tx_start_called(struct sock *sk) \
	{                                                                               \
		scheme##_cwnd_event_called(sk, CA_EVENT_TX_START);                      \
	}
#define HAS_EVENTS(scheme) HAS(scheme, cwnd_event), HAS(scheme, cwnd_event_tx_start)
#else
#define KERNEL_CALLS_cwnd_event_tx_start(scheme)
#define HAS_EVENTS(scheme) HAS(scheme, cwnd_event)
#endif

#define REGISTER(scheme, ...)                                              \
	static struct tcp_congestion_ops scheme = {                        \
		.name = REGISTERED_NAME,                                   \
		.flags = TCP_CONG_NON_RESTRICTED | SCHEME_FLAGS,           \
		.owner = THIS_MODULE,                                      \
		HAS(scheme, ssthresh), HAS(scheme, undo_cwnd), __VA_ARGS__ \
	};                                                                 \
	static int __init scheme##_enter(void)                             \
	{                                                                  \
		int error = user_map_open(REGISTERED_NAME);                \
                                                                           \
		if (error)                                                 \
			return error;                                      \
		error = tcp_register_congestion_control(&scheme);          \
		if (error)                                                 \
			user_map_close();                                  \
		return error;                                              \
	}                                                                  \
	static void __exit scheme##_leave(void)                            \
	{                                                                  \
		tcp_unregister_congestion_control(&scheme);                \
		user_map_close();                                          \
		map_elements_free();                                       \
	}                                                                  \
	module_init(scheme##_enter);                                       \
	module_exit(scheme##_leave);                                       \
	MODULE_DESCRIPTION("congestion control " #scheme);                 \
	MODULE_LICENSE("GPL")

#endif
