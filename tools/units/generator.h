/* SPDX-License-Identifier: GPL-2.0 */
/* The generator (systemd.generator(7)): write a drop-in for each unit that has a section. */
#ifndef NETNICE_UNITS_GENERATOR_H
#define NETNICE_UNITS_GENERATOR_H

/* Where its files are, as long as units are not loaded again */
#define GENERATOR_FOLDER	"/run/systemd/generator"

/* The file in each folder of drop-ins that it makes */
#define GENERATOR_DROPIN	"00-netnice-generator.conf"

/* This file exists if no slice has a section. Then a starting unit need not ask about slices. */
#define GENERATOR_NO_SLICES	"netnice-no-slices"

/**
 * generator_run - look through the units that there are
 * @to: the folder that drop-ins go to
 *
 * Return: 0, or -1 after a message.
 */
int generator_run(const char *to);

#endif
