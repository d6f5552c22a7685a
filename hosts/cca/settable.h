/* SPDX-License-Identifier: GPL-2.0 */
/* Constants that a paper varies: `python -m hosts.cca load NAME CONSTANT=VALUE` puts another value into the program when it is loaded.
 *
 * The program holds whole numbers, the user writes decimal ones: VALUE x `scale`. Defaults and limits are in the program's units.
 * One to a line, since the loader reads them from the source: SETTABLE(name, scale, default, least, most)
 */
#ifndef SETTABLE_H
#define SETTABLE_H

#define SETTABLE(name, scale, value, least, most) const volatile __u32 name = (value)

#endif
