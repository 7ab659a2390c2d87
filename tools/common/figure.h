/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers with three significant digits, in at most FIGURE_COLUMNS. */
#ifndef NETNICE_FIGURE_H
#define NETNICE_FIGURE_H

#define FIGURE_COLUMNS	6
#define FIGURE_BYTES	24

/* Print a number with a suffix for a power of 1000: "1.25M". */
void figure_count(char text[FIGURE_BYTES], double value);

/* Print a rate in bits per second: "1.25M"; "-" if it is negative, which means unknown. */
void figure_bits(char text[FIGURE_BYTES], double bytes_per_s);

/* Print a time: "1.25ms". */
void figure_time(char text[FIGURE_BYTES], double ns);

#endif
