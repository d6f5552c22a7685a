/* SPDX-License-Identifier: GPL-2.0 */
/* BPF maps of the kinds HASH and ARRAY, for a module: one hash table for all maps of a module, told apart by the address of the map.
 *
 * As with BPF, a lookup gives the value itself, which callbacks on other processors may be writing, and it stays valid until the callback
 * returns (module_frame.h).
 */
#ifndef MODULE_FRAME_MAPS_H
#define MODULE_FRAME_MAPS_H

#include <linux/errno.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#define MAP_BUCKETS_BITS 8

struct map_element {
	struct hlist_node node;
	struct rcu_head rcu;
	const void *map;
	void *value; /* behind the key, where it can be read as any type */
	u8 key[] __aligned(8);
};

/* The properties that the macros of bpf_helpers.h find in a map's type. */
struct map_kind {
	const void *map;
	u32 key_bytes;
	u32 value_bytes;
	u32 elements_max;
	bool is_array; /* every element exists; its key is its number */
};

static DEFINE_HASHTABLE(map_elements, MAP_BUCKETS_BITS);
static DEFINE_SPINLOCK(map_elements_lock);
static u32 map_elements_count; /* of all maps */

static inline u32 map_hash(const struct map_kind *kind, const void *key)
{
	return jhash(key, kind->key_bytes, (u32)(unsigned long)kind->map);
}

static inline struct map_element *map_find(const struct map_kind *kind, const void *key)
{
	struct map_element *element;

	hash_for_each_possible_rcu(map_elements, element, node, map_hash(kind, key), 1)
		if (element->map == kind->map && memcmp(element->key, key, kind->key_bytes) == 0)
			return element;
	return NULL;
}

static inline struct map_element *map_element_new(const struct map_kind *kind, const void *key, const void *value)
{
	size_t key_room = round_up(kind->key_bytes, 8);
	struct map_element *element = kzalloc(sizeof(*element) + key_room + kind->value_bytes, GFP_ATOMIC);

	if (!element)
		return NULL;
	element->map = kind->map;
	element->value = element->key + key_room;
	memcpy(element->key, key, kind->key_bytes);
	if (value)
		memcpy(element->value, value, kind->value_bytes);
	return element;
}

static inline bool map_is_full(const struct map_kind *kind)
{
	const struct map_element *element;
	u32 bucket, count = 0;

	if (map_elements_count < kind->elements_max)
		return false;
	hash_for_each(map_elements, bucket, element, node)
		count += element->map == kind->map;
	return count >= kind->elements_max;
}

static inline long map_put(const struct map_kind *kind, const void *key, const void *value, u64 flags)
{
	struct map_element *element, *former;
	long error = 0;

	if (kind->is_array && *(const u32 *)key >= kind->elements_max)
		return -E2BIG;
	element = map_element_new(kind, key, value);
	if (!element)
		return -ENOMEM;
	spin_lock_bh(&map_elements_lock);
	former = map_find(kind, key);
	if (former && flags == BPF_NOEXIST)
		error = -EEXIST;
	else if (!former && flags == BPF_EXIST && !kind->is_array)
		error = -ENOENT;
	else if (!former && map_is_full(kind))
		error = -E2BIG;
	if (!error) {
		if (former)
			hash_del_rcu(&former->node);
		hash_add_rcu(map_elements, &element->node, map_hash(kind, key));
		map_elements_count += !former;
	}
	spin_unlock_bh(&map_elements_lock);
	if (error)
		kfree(element);
	else if (former)
		kfree_rcu(former, rcu);
	return error;
}

static inline void *map_get(const struct map_kind *kind, const void *key)
{
	struct map_element *element = map_find(kind, key);

	if (!element && kind->is_array && map_put(kind, key, NULL, BPF_NOEXIST) != -E2BIG)
		element = map_find(kind, key);
	return element ? element->value : NULL;
}

static inline long map_drop(const struct map_kind *kind, const void *key)
{
	struct map_element *element;

	if (kind->is_array)
		return -EINVAL;
	spin_lock_bh(&map_elements_lock);
	element = map_find(kind, key);
	if (element) {
		hash_del_rcu(&element->node);
		map_elements_count--;
	}
	spin_unlock_bh(&map_elements_lock);
	if (!element)
		return -ENOENT;
	kfree_rcu(element, rcu);
	return 0;
}

/* To be called when nobody uses the maps any more. */
static inline void map_elements_free(void)
{
	struct map_element *element;
	struct hlist_node *next;
	u32 bucket;

	hash_for_each_safe(map_elements, bucket, next, element, node) {
		hash_del(&element->node);
		kfree(element);
	}
}

#endif
