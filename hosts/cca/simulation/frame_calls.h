/* SPDX-License-Identifier: GPL-2.0 */
/* How the kernel calls a scheme, and where its maps are: as BPF programs, or as the module that it is with __KERNEL__. */
#ifndef FRAME_CALLS_H
#define FRAME_CALLS_H

#include <stdlib.h>
#include <string.h>

#ifdef __KERNEL__

#define ARGUMENT(pointer) (pointer)
#define ARGUMENTS_WITH_RATES(rates) 0, 0, (rates)
#define CALL_WITH(type, callback, ...) SCHEME.callback(__VA_ARGS__)

#define write_from_user_space(map, element, is_there) \
	stand_in_file->proc_write(NULL, (const char *)&(element), (is_there) ? sizeof(element) : sizeof((element).key), NULL)

/* How many elements all maps together have. */
__u32 frame_map_elements(void)
{
	return map_elements_count;
}

/* The name that is registered now; empty if none is. */
const char *frame_registered_name(void)
{
	return stand_in_registered ? stand_in_registered->name : "";
}

/* The file that programs write into; empty if there is none. */
const char *frame_written_file(void)
{
	return stand_in_file ? stand_in_file_name : "";
}

#else

/* A callback takes its arguments as an array, as the kernel's BPF programs do. */
#define ARGUMENT(pointer) ((__u64)(pointer))
#define ARGUMENTS_WITH_RATES(rates) ARGUMENT(rates), 0, ARGUMENT(rates)
#define CALL_WITH(type, callback, ...) (((type(*)(__u64 *))(void *)SCHEME.callback)((__u64[]){__VA_ARGS__}))

#define write_from_user_space(map, element, is_there)                                \
	((is_there) ? bpf_map_update_elem(&(map), &(element).key, &(element).rate, 0) \
		    : bpf_map_delete_elem(&(map), &(element).key))

/* Maps of a BPF program: one list for all, told apart by the address of the map. */
struct element {
	struct element *next;
	const void *map;
	void *value;
	unsigned char key[32];
};
static struct element *elements;

static struct element **find_element(const void *map, const void *key, unsigned int key_bytes)
{
	struct element **link = &elements;

	while (*link && ((*link)->map != map || memcmp((*link)->key, key, key_bytes) != 0))
		link = &(*link)->next;
	return link;
}

void *stand_in_lookup(const void *map, const void *key, unsigned int key_bytes)
{
	struct element *element = *find_element(map, key, key_bytes);

	return element ? element->value : NULL;
}

long stand_in_update(const void *map, const void *key, unsigned int key_bytes, const void *value, unsigned int value_bytes)
{
	struct element **link = find_element(map, key, key_bytes);

	if (!*link) {
		*link = calloc(1, sizeof(**link));
		(*link)->map = map;
		(*link)->value = malloc(value_bytes);
		memcpy((*link)->key, key, key_bytes);
	}
	memcpy((*link)->value, value, value_bytes);
	return 0;
}

long stand_in_delete(const void *map, const void *key, unsigned int key_bytes)
{
	struct element **link = find_element(map, key, key_bytes), *element = *link;

	if (!element)
		return -1;
	*link = element->next;
	free(element->value);
	free(element);
	return 0;
}

/* How many elements all maps together have. */
__u32 frame_map_elements(void)
{
	__u32 count = 0;
	const struct element *element;

	for (element = elements; element; element = element->next)
		count++;
	return count;
}

#endif

#endif
