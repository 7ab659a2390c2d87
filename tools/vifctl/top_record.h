/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intervals of "vifctl top" in a file: the netlink messages with the VIFs, unchanged. It has no
 * sockets: so a reader of the file does not learn which hosts communicate.
 */
#ifndef VIFCTL_TOP_RECORD_H
#define VIFCTL_TOP_RECORD_H

#include <stdio.h>

#include "vif_list.h"

struct top_record {
	FILE *file;		/* NULL: there is none */
};

/* Create a file. Return: 0, or -1 after a message. */
int top_record_create(struct top_record *record, const char *path);

/* Open a file for reading; "-" is standard input. Return: 0, or -1 after a message. */
int top_record_open(struct top_record *record, const char *path);

/* Append a sample: @size bytes of messages. Return: 0, or -1 and errno. */
int top_record_write(struct top_record *record, uint64_t time_ns, const char *messages,
		     size_t size);

/* Read the next sample into an empty list. Return: 0, 1: end of the file, or -1 and errno. */
int top_record_read(struct top_record *record, struct vif_list *list, uint64_t *time_ns);

void top_record_close(struct top_record *record);

#endif
