/* SPDX-License-Identifier: GPL-2.0 */
/* libbpf's <bpf/bpf_helpers.h>, as far as schemes use it, for a module. A scheme cannot use other parts of it in both frames. */
#ifndef MODULE_FRAME_BPF_HELPERS_H
#define MODULE_FRAME_BPF_HELPERS_H

#include <linux/build_bug.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/smp.h>
#include <net/tcp.h>
#include <uapi/linux/bpf.h>

#include "../maps.h"

#define SEC(name) /* a module needs no sections: the table is registered by name (module_frame.h) */
#define __ksym    /* functions of the kernel: its modules are linked to those it exports */
#define __uint(name, value) int(*name)[value]
#define __type(name, type) __typeof__(type) *name

#define NUMBER_OF(map, member) (sizeof(*(map)->member) / sizeof(int))
#define KIND_OF(map_)                                                                                                 \
	({                                                                                                            \
		static_assert(NUMBER_OF(map_, type) == BPF_MAP_TYPE_HASH || NUMBER_OF(map_, type) == BPF_MAP_TYPE_ARRAY, \
			      "in a module, a map is a BPF_MAP_TYPE_HASH or a BPF_MAP_TYPE_ARRAY");                   \
		static const struct map_kind kind = {                                                                 \
			.map = (map_),                                                                                \
			.key_bytes = sizeof(*(map_)->key),                                                            \
			.value_bytes = sizeof(*(map_)->value),                                                        \
			.elements_max = NUMBER_OF(map_, max_entries),                                                 \
			.is_array = NUMBER_OF(map_, type) == BPF_MAP_TYPE_ARRAY,                                      \
		};                                                                                                    \
                                                                                                                      \
		&kind;                                                                                                \
	})

#define bpf_map_lookup_elem(map, wanted) map_get(KIND_OF(map), wanted)
#define bpf_map_update_elem(map, wanted, content, flags) map_put(KIND_OF(map), wanted, content, flags)
#define bpf_map_delete_elem(map, wanted) map_drop(KIND_OF(map), wanted)

#define bpf_ktime_get_ns() ktime_get_ns()
#define bpf_ktime_get_boot_ns() ktime_get_boottime_ns()
#define bpf_jiffies64() get_jiffies_64()
#define bpf_get_prandom_u32() get_random_u32()
#define bpf_get_smp_processor_id() raw_smp_processor_id()
#define bpf_tcp_send_ack(tp, received) __tcp_send_ack((struct sock *)(tp), received, 0) /* as Linux 6.12.117 declares it */
#define bpf_printk(...) printk(KERN_INFO __VA_ARGS__)

#endif
