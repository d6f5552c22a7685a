/* SPDX-License-Identifier: GPL-2.0 */
/* The map of a module that programs write into: /proc/MAP:CONGESTION_CONTROL, for root.
 *
 * One write is one element: its key and its value, as the map has them, put it in; its key alone takes it out.
 */
#ifndef MODULE_FRAME_USER_MAP_H
#define MODULE_FRAME_USER_MAP_H

#include <linux/proc_fs.h>
#include <linux/uaccess.h>

#include "maps.h"

#define USER_MAP_ELEMENT_MAX 256 /* bytes of key and value */
#define USER_MAP_FILE_MAX 64

struct user_map {
	const char *name;
	struct map_kind kind;
};

/* None, unless the scheme has WRITTEN_FROM_USER_SPACE. */
static const struct user_map user_map;

#define WRITTEN_FROM_USER_SPACE(map_)                                                                  \
	static_assert(sizeof(*(map_).key) + sizeof(*(map_).value) <= USER_MAP_ELEMENT_MAX);            \
	static const struct user_map user_map = {                                                      \
		.name = #map_,                                                                         \
		.kind = {                                                                              \
			.map = &(map_),                                                                \
			.key_bytes = sizeof(*(map_).key),                                              \
			.value_bytes = sizeof(*(map_).value),                                          \
			.elements_max = sizeof(*(map_).max_entries) / sizeof(int),                     \
		},                                                                                     \
	}

static struct proc_dir_entry *user_map_file;

static ssize_t user_map_write(struct file *file, const char __user *from, size_t bytes, loff_t *at)
{
	const struct map_kind *kind = &user_map.kind;
	u8 element[USER_MAP_ELEMENT_MAX] __aligned(8);
	long error;

	if (bytes != kind->key_bytes && bytes != kind->key_bytes + kind->value_bytes)
		return -EINVAL;
	if (copy_from_user(element, from, bytes))
		return -EFAULT;
	guard(rcu)();
	if (bytes == kind->key_bytes)
		error = map_drop(kind, element);
	else
		error = map_put(kind, element, element + kind->key_bytes, BPF_ANY);
	return error ? error : (ssize_t)bytes;
}

static const struct proc_ops user_map_operations = {
	.proc_write = user_map_write,
};

static inline int user_map_open(const char *congestion_control)
{
	char file[USER_MAP_FILE_MAX];

	if (!user_map.name)
		return 0;
	snprintf(file, sizeof(file), "%s:%s", user_map.name, congestion_control);
	user_map_file = proc_create(file, 0200, NULL, &user_map_operations);
	return user_map_file ? 0 : -ENOMEM;
}

static inline void user_map_close(void)
{
	proc_remove(user_map_file);
}

#endif
