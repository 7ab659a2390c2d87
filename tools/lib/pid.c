// SPDX-License-Identifier: GPL-2.0
#include "pid.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnfs.h"
#include "number.h"

pid_t process_parse_pid(const char *word)
{
	unsigned long pid;

	return text_number(word, INT_MAX, &pid) ? pid : 0;
}

static char *read_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return nnfs_read(-1, path);
}

pid_t process_leader(pid_t id)
{
	char *text = read_proc(id, "status");
	const char *tgid = text ? strstr(text, "\nTgid:") : NULL;
	pid_t leader = 0;

	if (tgid)
		sscanf(tgid, "\nTgid: %d", &leader);
	free(text);
	return leader ? leader : id;
}

/* Fields of proc(5) behind the command's name, which may hold anything: the 3rd to the 21st */
#define SKIP_6	" %*s %*s %*s %*s %*s %*s"

unsigned long long process_start(pid_t pid)
{
	char *text = read_proc(pid, "stat");
	const char *end = text ? strrchr(text, ')') : NULL;
	unsigned long long start = 0;

	if (end)
		sscanf(end, ") %*s" SKIP_6 SKIP_6 SKIP_6 " %llu", &start);
	free(text);
	return start;
}

void process_comm(pid_t pid, char comm[PROCESS_COMM_BYTES])
{
	char *text = read_proc(pid, "comm");
	size_t len;

	snprintf(comm, PROCESS_COMM_BYTES, "%s", text ?: "");
	free(text);
	len = strlen(comm);
	if (len && comm[len - 1] == '\n')
		comm[len - 1] = '\0';
}
