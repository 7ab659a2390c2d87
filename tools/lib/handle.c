// SPDX-License-Identifier: GPL-2.0
/* Open and close handles, and keep the sentence of the last failure. */
#include "handle.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int handle_begin(struct netnice *nn)
{
	*nn = (struct netnice) { .fs.fd = -1, .process = getpid() };
	return nnfs_find(&nn->fs, nn->why);
}

int netnice_open(struct netnice **nn)
{
	*nn = malloc(sizeof(**nn));
	return *nn ? handle_begin(*nn) : -1;
}

void handle_end(struct netnice *nn)
{
	if (nn->process == getpid())
		netnice_rollback(nn, NULL, NULL);
	netnice_commit(nn);
	genl_close(&nn->genl);
	genl_close(&nn->events);
	event_free(&nn->event);
	free(nn->message);
	if (nn->fs.fd >= 0)
		nnfs_close(&nn->fs);
}

void netnice_close(struct netnice *nn)
{
	const int err = errno;

	if (nn)
		handle_end(nn);
	free(nn);
	errno = err;
}

const char *netnice_strerror(const struct netnice *nn)
{
	return nn ? nn->why : "out of memory";
}

void handle_take(struct netnice *nn)
{
	nn->process = getpid();
}

int handle_check(struct netnice *nn)
{
	nn->is_explained = false;
	if (nn->process == getpid())
		return 0;
	return handle_fail(nn, EINVAL, "the handle belongs to process %d: open another one after fork",
			   nn->process);
}

struct genl *handle_genl(struct netnice *nn)
{
	if (nn->genl.sock || !genl_find(&nn->genl, nn->why))
		return &nn->genl;
	nn->is_explained = true;
	return NULL;
}

/* Escape control characters, as the kernel does in its sentences: names may come from other users. */
static void put_escaped(char why[NNFS_SENTENCE_MAX], const char *text)
{
	size_t n = 0;

	why[0] = '\0';
	for (; *text && n + sizeof("\\000") <= NNFS_SENTENCE_MAX; text++) {
		const unsigned char c = *text;
		const bool is_control = c < 0x20 || (c >= 0x7f && c < 0xa0);

		n += snprintf(why + n, NNFS_SENTENCE_MAX - n, is_control ? "\\%03o" : "%c", c);
	}
}

int handle_fail(struct netnice *nn, int err, const char *fmt, ...)
{
	char text[NNFS_SENTENCE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_escaped(nn->why, text);
	nn->is_explained = true;
	errno = err;
	return -1;
}

int handle_fail_errno(struct netnice *nn)
{
	nnfs_reason(&nn->fs, nn->why);
	nn->is_explained = true;
	return -1;
}

const char *handle_path(struct netnice *nn, const char *path)
{
	const char *at = path;
	size_t len;

	do {
		len = strcspn(at, "/");
		if (!len || (len == 1 && *at == '.') || (len == 2 && !strncmp(at, "..", len))) {
			handle_fail(nn, EINVAL, "'%s' is not the path of a VIF, for example eth0/web",
				    path);
			return NULL;
		}
		at += len;
	} while (*at++);
	return path;
}
