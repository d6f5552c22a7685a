/* SPDX-License-Identifier: GPL-2.0 */
/* Constants that a paper varies or leaves open: `NAME(CONSTANT=VALUE)` puts another value into the program when it is loaded, or into the
 * module when it is built.
 *
 * One to a line, since the loader reads them from the source.
 *
 * SETTABLE(name, scale, default, least, most): a number. The program holds whole numbers, the user writes decimal ones: VALUE x `scale`.
 * Default and limits are in the program's units.
 *
 * CHOICE(name, first, second), with up to four words: one of them, `first` unless set. In the program, compare with name_first, name_second
 * and so on.
 */
#ifndef SETTABLE_H
#define SETTABLE_H

#define WORDS(name, ...) CHOSEN_BY_COUNT(__VA_ARGS__, FOUR_WORDS, THREE_WORDS, TWO_WORDS, )(name, __VA_ARGS__)
#define CHOSEN_BY_COUNT(first, second, third, fourth, chosen, ...) chosen
#define TWO_WORDS(name, first, second) name##_##first, name##_##second
#define THREE_WORDS(name, first, second, third) TWO_WORDS(name, first, second), name##_##third
#define FOUR_WORDS(name, first, second, third, fourth) THREE_WORDS(name, first, second, third), name##_##fourth

#ifdef __KERNEL__

/* SET_CONSTANT is defined by whoever builds the module, as `0, VALUE`, for each constant that has another value than the source's. */
#define VALUE_OF(...) SECOND_OF(__VA_ARGS__)
#define SECOND_OF(first, second, ...) second
#define SETTABLE(name, scale, value, least, most) static const __u32 __maybe_unused name = VALUE_OF(SET_##name, value, 0)
#define CHOICE(name, first, ...)                  \
	enum { WORDS(name, first, __VA_ARGS__) }; \
	static const __u32 __maybe_unused name = VALUE_OF(SET_##name, name##_##first, 0)

#else

#ifdef __bpf__
#define SET_WHEN_LOADED const volatile __u32
#else
#define SET_WHEN_LOADED volatile __u32 /* in user space whoever simulates a scheme sets them (hosts/cca/simulation) */
#endif

#define SETTABLE(name, scale, value, least, most) SET_WHEN_LOADED name = (value)
#define CHOICE(name, first, ...)                  \
	enum { WORDS(name, first, __VA_ARGS__) }; \
	SET_WHEN_LOADED name = name##_##first

#endif

#endif
