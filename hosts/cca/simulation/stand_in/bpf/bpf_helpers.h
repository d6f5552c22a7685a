/* SPDX-License-Identifier: GPL-2.0 */
/* libbpf's <bpf/bpf_helpers.h>, as far as the schemes use it, for user space: sections mean nothing, maps are lists in memory. */
#ifndef STAND_IN_BPF_HELPERS_H
#define STAND_IN_BPF_HELPERS_H

#define SEC(name)
#define __ksym
#define __uint(name, value) int(*name)[value]
#define __type(name, type) __typeof__(type) *name

/* kernel_frame.c */
void *stand_in_lookup(const void *map, const void *key, unsigned int key_bytes);
long stand_in_update(const void *map, const void *key, unsigned int key_bytes, const void *value, unsigned int value_bytes);
long stand_in_delete(const void *map, const void *key, unsigned int key_bytes);

struct sock;
void __tcp_send_ack(struct sock *sk, unsigned int received, unsigned short flags);

#define bpf_tcp_send_ack(tp, received) __tcp_send_ack((struct sock *)(tp), received, 0)
#define bpf_map_lookup_elem(map, wanted) stand_in_lookup(map, wanted, sizeof(*(map)->key))
#define bpf_map_update_elem(map, wanted, content, flags) \
	stand_in_update(map, wanted, sizeof(*(map)->key), content, sizeof(*(map)->value))
#define bpf_map_delete_elem(map, wanted) stand_in_delete(map, wanted, sizeof(*(map)->key))

#endif
