/* SPDX-License-Identifier: GPL-2.0 */
/* The BPF frame: a scheme as struct_ops programs, whose table libbpf and the kernel find by the names of the sections. */
#ifndef BPF_FRAME_H
#define BPF_FRAME_H

#include "tcp_bpf.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* linux/bpf.h, which needs the kernel headers' own integers, is left out: these are part of the user-space interface. */
#define BPF_MAP_TYPE_HASH 1
#define BPF_F_NO_PREALLOC 1
#define BPF_NOEXIST 1

char _license[] SEC("license") = "GPL"; /* the kernel asks for this license of a program that calls its functions */

/* Begins a callback. Its arguments are in ctx[0], ctx[1], ...; SOCK_OF, SAMPLE_OF and ACKED_OF name the usual ones. */
#define CALLBACK(type, scheme, callback) SEC("struct_ops/" #scheme "_" #callback) type scheme##_##callback(__u64 *ctx)

#define HAS(scheme, callback) .callback = (void *)scheme##_##callback

/* A BPF program can neither give its packets another codepoint nor shorten bursts. */
static __always_inline void send_as_ect1(struct sock *sk)
{
}

static __always_inline void send_as_usual(struct sock *sk)
{
}

static __always_inline void pace_in_usual_bursts(struct sock *sk)
{
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

#define pace_in_short_bursts pace_in_usual_bursts

/* The rates that `cong_control` gets: its second argument before Linux 6.10, and its fourth since. */
#ifdef __bpf__
extern int LINUX_KERNEL_VERSION __kconfig;
#define KERNEL_6_10 ((6 << 16) + (10 << 8))
#else
#define LINUX_KERNEL_VERSION 0
#define KERNEL_6_10 0
#endif
static __always_inline const struct rate_sample *RATES_OF(__u64 *ctx)
{
	__u64 rates;

	if (LINUX_KERNEL_VERSION >= KERNEL_6_10) {
		rates = ctx[3];
		__asm__ volatile("" : "+r"(rates)); /* one load each: the verifier refuses a computed place in ctx */
	} else {
		rates = ctx[1];
		__asm__ volatile("" : "+r"(rates));
	}
	return (const struct rate_sample *)rates;
}

/* The callback of events; what kernels since 7.1 tell by another one, BPF programs are not told there. */
#define HAS_EVENTS(scheme) HAS(scheme, cwnd_event)

/* The table of the scheme's callbacks. The loader puts another name in, which no kernel module has (hosts/cca/scheme_names.py). */
#define REGISTER(scheme, ...)                                     \
	SEC(".struct_ops")                                        \
	struct tcp_congestion_ops scheme = {                      \
		.name = #scheme,                                  \
		.flags = TCP_CONG_NON_RESTRICTED | SCHEME_FLAGS,  \
		HAS(scheme, ssthresh), HAS(scheme, undo_cwnd), __VA_ARGS__ \
	}

/* A map that the sending program writes into. It finds every BPF map by its name, so there is nothing to be done here. */
#define WRITTEN_FROM_USER_SPACE(map) _Static_assert(1, "")

#endif
