/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers for people: three digits that count, in at most FIGURE_COLUMNS. */
#ifndef NETNICE_FIGURE_H
#define NETNICE_FIGURE_H

#define FIGURE_COLUMNS	6
#define FIGURE_BYTES	24

/* "1.25M"; powers of 1000 */
void figure_count(char text[FIGURE_BYTES], double value);

/* The same of bytes per second, as bits; "-" if they are less than 0: not known */
void figure_bits(char text[FIGURE_BYTES], double bytes_per_s);

/* "1.25ms" */
void figure_time(char text[FIGURE_BYTES], double ns);

#endif
