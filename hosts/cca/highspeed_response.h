/* SPDX-License-Identifier: GPL-2.0 */
/* The response function of HighSpeed TCP (RFC 3649, section 5) for windows above Low_Window. */
#ifndef HIGHSPEED_RESPONSE_H
#define HIGHSPEED_RESPONSE_H

#include "growth.h"

#define HIGHSPEED_ROWS 72

/* Row i (counted from 0): the smallest window with a(w) >= i + 1, and b(w) there in 1/256. From the RFC's equations with
 * Low_Window = 38, High_Window = 83000, High_P = 10^-7, High_Decrease = 0.1; the tests compute them again.
 */
struct highspeed_row {
	__u32 window;
	__u32 decrease;
};

static const struct highspeed_row highspeed_rows[HIGHSPEED_ROWS] = {
	{38, 128}, {118, 113}, {221, 105}, {347, 99}, {494, 94}, {662, 90},
	{849, 87}, {1056, 84}, {1282, 81}, {1527, 79}, {1791, 77}, {2073, 75},
	{2375, 73}, {2695, 71}, {3035, 70}, {3395, 68}, {3774, 67}, {4173, 65},
	{4592, 64}, {5032, 63}, {5493, 62}, {5975, 61}, {6479, 60}, {7005, 59},
	{7554, 58}, {8126, 57}, {8722, 56}, {9342, 55}, {9987, 54}, {10658, 53},
	{11355, 52}, {12080, 51}, {12832, 50}, {13613, 50}, {14424, 49}, {15265, 48},
	{16138, 47}, {17044, 47}, {17984, 46}, {18959, 45}, {19971, 45}, {21020, 44},
	{22110, 43}, {23240, 43}, {24413, 42}, {25632, 41}, {26897, 41}, {28211, 40},
	{29578, 39}, {30998, 39}, {32477, 38}, {34015, 37}, {35618, 37}, {37289, 36},
	{39032, 36}, {40853, 35}, {42756, 34}, {44748, 34}, {46836, 33}, {49027, 33},
	{51330, 32}, {53757, 31}, {56318, 31}, {59029, 30}, {61906, 30}, {64970, 29},
	{68246, 28}, {71765, 28}, {75567, 27}, {79705, 26}, {84250, 25}, {89302, 25},
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
