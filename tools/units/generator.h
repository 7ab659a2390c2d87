/* SPDX-License-Identifier: GPL-2.0 */
/* The generator (systemd.generator(7)): who has a section gets a drop-in that heeds it. */
#ifndef NETNICE_UNITS_GENERATOR_H
#define NETNICE_UNITS_GENERATOR_H

/* The file in each folder of drop-ins that it makes */
#define GENERATOR_DROPIN	"00-netnice-generator.conf"

/**
 * generator_run - look through the units that there are
 * @to: the folder that drop-ins go to
 *
 * Return: 0, or -1 after a message.
 */
int generator_run(const char *to);

#endif
