/* SPDX-License-Identifier: GPL-2.0 */
/* The least and the most of what was measured of late, in little memory. Pure arithmetic. */
#ifndef LEAST_OF_LATE_H
#define LEAST_OF_LATE_H

#include "plain_types.h"

/* Extremes of two spans of time, one after the other. They cover the last `span_us` at least, and twice that at most. */
struct of_late {
	__u32 present; /* 0: none yet */
	__u32 before;
	__u32 since_us; /* when the present span began */
};

ARITHMETIC void note_time(struct of_late *values, __u32 now_us, __u32 span_us)
{
	__u32 passed_us = now_us - values->since_us;
	_Bool is_next = passed_us < 2 * span_us;

	if (passed_us < span_us)
		return;
	values->before = is_next ? values->present : 0;
	values->present = 0;
	values->since_us = is_next ? values->since_us + span_us : now_us;
}

/* Takes a value that is not 0, and returns the least of late. */
ARITHMETIC __u32 least_of_late(struct of_late *values, __u32 value, __u32 now_us, __u32 span_us)
{
	note_time(values, now_us, span_us);
	if (values->present == 0 || value < values->present)
		values->present = value;
	return values->before != 0 && values->before < values->present ? values->before : values->present;
}

/* The same for the most. */
ARITHMETIC __u32 most_of_late(struct of_late *values, __u32 value, __u32 now_us, __u32 span_us)
{
	note_time(values, now_us, span_us);
	if (value > values->present)
		values->present = value;
	return values->before > values->present ? values->before : values->present;
}

#endif
