/* SPDX-License-Identifier: GPL-2.0 */
/* The response function of HighSpeed TCP (RFC 3649, section 5) for windows above Low_Window. */
#ifndef HIGHSPEED_RESPONSE_H
#define HIGHSPEED_RESPONSE_H

#include "growth.h"

#define HIGHSPEED_ROWS 73

/* The table of the RFC's appendix B. Row i (counted from 0): the window from which on a(w) = i + 1, and b(w) there in 1/256.
 *
 * The RFC's table comes from a program with p(w) = 1 / (12.8 w^1.2). It begins a row when a(w) is more than one above its value at
 * the last row. Its rows therefore lie a little off those where 0.078 w^0.8 2b / (2 - b) passes a whole number (495, not 494).
 * The tests compute them again. Low_Window = 38, High_Window = 83000, High_P = 10^-7, High_Decrease = 0.1.
 */
struct highspeed_row {
	__u32 window;
	__u32 decrease;
};

static const struct highspeed_row highspeed_rows[HIGHSPEED_ROWS] = {
	{38, 128}, {118, 113}, {221, 105}, {347, 99}, {495, 94}, {663, 90},
	{851, 87}, {1058, 84}, {1284, 81}, {1529, 79}, {1793, 77}, {2076, 75},
	{2378, 73}, {2699, 71}, {3039, 70}, {3399, 68}, {3778, 67}, {4177, 65},
	{4596, 64}, {5036, 63}, {5497, 62}, {5979, 61}, {6483, 60}, {7009, 59},
	{7558, 58}, {8130, 57}, {8726, 56}, {9346, 55}, {9991, 54}, {10661, 53},
	{11358, 52}, {12082, 51}, {12834, 50}, {13614, 50}, {14424, 49}, {15265, 48},
	{16137, 47}, {17042, 47}, {17981, 46}, {18955, 45}, {19965, 45}, {21013, 44},
	{22101, 43}, {23230, 43}, {24402, 42}, {25618, 41}, {26881, 41}, {28193, 40},
	{29557, 39}, {30975, 39}, {32450, 38}, {33986, 37}, {35586, 37}, {37253, 36},
	{38992, 36}, {40808, 35}, {42707, 34}, {44694, 34}, {46776, 33}, {48961, 33},
	{51258, 32}, {53677, 31}, {56230, 31}, {58932, 30}, {61799, 30}, {64851, 29},
	{68113, 28}, {71617, 28}, {75401, 27}, {79517, 26}, {84035, 25}, {89053, 25},
	{94717, 24},
};

/* Number of the row for `window`, from 0; a smaller window than Low_Window has row 0: standard TCP. */
ARITHMETIC __u32 highspeed_row(__u32 window)
{
	__u32 low = 0, high = HIGHSPEED_ROWS - 1; /* the row is in low..high */
	int step;

	for (step = 0; step < 7; step++) { /* 2^7 > rows */
		__u32 middle = (low + high + 1) / 2;

		if (low >= high)
			break;
		if (middle < HIGHSPEED_ROWS && highspeed_rows[middle].window <= window)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* a(w): growth in packets a window. */
ARITHMETIC __u32 highspeed_increase(__u32 window)
{
	return highspeed_row(window) + 1;
}

/* Window after a loss: w (1 - b(w)), rounded down, at least 2. */
ARITHMETIC __u32 highspeed_after_loss(__u32 window)
{
	__u32 row = highspeed_row(window);
	__u32 decrease, after;

	if (row >= HIGHSPEED_ROWS)
		row = HIGHSPEED_ROWS - 1;
	decrease = highspeed_rows[row].decrease;
	after = (__u32)((__u64)window * (256 - decrease) / 256);
	return after < WINDOW_MIN ? WINDOW_MIN : after;
}

#endif
