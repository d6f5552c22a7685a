/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's headers, as far as the module frame uses them, for user space and one thread: frame.py puts this in the place of each. */
#ifndef STAND_IN_KERNEL_HEADERS_H
#define STAND_IN_KERNEL_HEADERS_H

#include <asm/errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define KERNEL_VERSION(major, minor, patch) (((major) << 16) + ((minor) << 8) + (patch))
#define LINUX_VERSION_CODE KERNEL_VERSION(6, 12, 0)

typedef signed char __s8;
typedef unsigned char __u8, u8;
typedef short __s16;
typedef unsigned short __u16, __be16;
typedef int __s32;
typedef unsigned int __u32, u32, __be32, __wsum;
typedef long long __s64;
typedef unsigned long long __u64, u64;

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __maybe_unused __attribute__((unused))
#define __aligned(bytes) __attribute__((aligned(bytes)))
#define __user
#define __init
#define __exit
#define static_assert(condition, ...) _Static_assert(condition, "" __VA_ARGS__)
#define round_up(number, step) (((number) + (step) - 1) / (step) * (step))

/* net/tcp.h: the structures are those of the BPF frame, the table of callbacks is the kernel's. */
#define tcp_congestion_ops bpf_congestion_ops
#include "tcp_bpf.h"
#undef tcp_congestion_ops

#define TCP_CA_NAME_MAX 16

void __tcp_send_ack(struct sock *sk, u32 received, __u16 flags);

enum tcp_ca_event { CA_EVENT_OF_ANY_KIND };

struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*in_ack_event)(struct sock *sk, u32 flags);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*min_tso_segs)(struct sock *sk);
	void (*cong_control)(struct sock *sk, u32 ack, int flag, const struct rate_sample *rates);
	u32 (*undo_cwnd)(struct sock *sk);
	u32 (*sndbuf_expand)(struct sock *sk);
	char name[TCP_CA_NAME_MAX];
	void *owner;
	u32 flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
};

static const struct tcp_congestion_ops *stand_in_registered;

static inline int tcp_register_congestion_control(struct tcp_congestion_ops *table)
{
	stand_in_registered = table;
	return 0;
}

static inline void tcp_unregister_congestion_control(struct tcp_congestion_ops *table)
{
	if (stand_in_registered == table)
		stand_in_registered = NULL;
}

/* linux/module.h: whoever has loaded the library calls these two. */
#define THIS_MODULE NULL
#define module_init(function)              \
	int stand_in_module_enter(void)    \
	{                                  \
		return function();         \
	}                                  \
	_Static_assert(1, "")
#define module_exit(function)              \
	void stand_in_module_leave(void)   \
	{                                  \
		function();                \
	}                                  \
	_Static_assert(1, "")
#define MODULE_DESCRIPTION(text) _Static_assert(1, text)
#define MODULE_LICENSE(text) _Static_assert(1, text)

/* linux/rcupdate.h, linux/spinlock.h: there is one thread. */
struct rcu_head {
	int nothing;
};

static inline void stand_in_guard(void)
{
}

#define guard(name) stand_in_guard
#define DEFINE_SPINLOCK(name) int name __maybe_unused
#define spin_lock_bh(lock) ((void)(lock))
#define spin_unlock_bh(lock) ((void)(lock))
#define kfree_rcu(pointer, member) free(pointer)

/* linux/slab.h */
#define GFP_ATOMIC 0
#define kzalloc(bytes, flags) calloc(1, bytes)
#define kfree(pointer) free(pointer)

/* linux/hashtable.h, linux/jhash.h */
struct hlist_node {
	struct hlist_node *next, **former;
};

#define DEFINE_HASHTABLE(name, bits) struct hlist_node *name[1 << (bits)]
#define BUCKETS_OF(table) (sizeof(table) / sizeof((table)[0]))
#define ELEMENT_OF(node_, like, member) \
	((node_) ? (__typeof__(like))((char *)(node_) - offsetof(__typeof__(*(like)), member)) : NULL)

static inline void stand_in_add(struct hlist_node **bucket, struct hlist_node *node)
{
	node->next = *bucket;
	node->former = bucket;
	if (node->next)
		node->next->former = &node->next;
	*bucket = node;
}

static inline void hash_del(struct hlist_node *node)
{
	*node->former = node->next;
	if (node->next)
		node->next->former = node->former;
}

#define hash_del_rcu hash_del
#define hash_add_rcu(table, node, hash) stand_in_add(&(table)[(hash) % BUCKETS_OF(table)], node)
#define IN_BUCKET(element, first, member)                           \
	for (element = ELEMENT_OF(first, element, member); element; \
	     element = ELEMENT_OF(element->member.next, element, member))
#define hash_for_each_possible_rcu(table, element, member, hash, ...) IN_BUCKET(element, (table)[(hash) % BUCKETS_OF(table)], member)
#define hash_for_each(table, bucket, element, member)              \
	for (bucket = 0; bucket < BUCKETS_OF(table); bucket++)     \
		IN_BUCKET(element, (table)[bucket], member)
#define hash_for_each_safe(table, bucket, following, element, member)                                      \
	for (bucket = 0; bucket < BUCKETS_OF(table); bucket++)                                             \
		for (element = ELEMENT_OF((table)[bucket], element, member);                               \
		     element && (following = element->member.next, 1);                                     \
		     element = ELEMENT_OF(following, element, member))

static inline u32 jhash(const void *key, u32 bytes, u32 seed)
{
	const u8 *at = key;

	while (bytes--)
		seed = seed * 31 + *at++;
	return seed;
}

/* linux/proc_fs.h, linux/uaccess.h: one file, written by stand_in_write(). */
struct file;
struct proc_dir_entry;

struct proc_ops {
	ssize_t (*proc_write)(struct file *file, const char *from, size_t bytes, loff_t *at);
};

static const struct proc_ops *stand_in_file;
static char stand_in_file_name[64] __maybe_unused;

static inline struct proc_dir_entry *proc_create(const char *name, int mode, void *parent, const struct proc_ops *operations)
{
	(void)mode, (void)parent;
	snprintf(stand_in_file_name, sizeof(stand_in_file_name), "%s", name);
	stand_in_file = operations;
	return (struct proc_dir_entry *)stand_in_file_name;
}

static inline void proc_remove(struct proc_dir_entry *file)
{
	if (file)
		stand_in_file = NULL;
}

static inline int copy_from_user(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
	return 0;
}

/* uapi/linux/bpf.h */
enum { BPF_ANY, BPF_NOEXIST, BPF_EXIST };
enum { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY };
enum { BPF_F_NO_PREALLOC = 1 };

/* Instead of module_frame/sending.h: a simulated connection has no packets, and is not paced. */
#define SENDING_H
static inline void send_as_ect1(struct sock *sk)
{
	(void)sk;
}
static inline void send_as_usual(struct sock *sk)
{
	(void)sk;
}
static inline void pace_in_usual_bursts(struct sock *sk)
{
	(void)sk;
}
static inline void pace_in_short_bursts(struct sock *sk)
{
	(void)sk;
}

#endif
