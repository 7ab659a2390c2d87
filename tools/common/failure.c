// SPDX-License-Identifier: GPL-2.0
/*
 * The library returns a sentence, which is printed here. Finding out why modprobe(8) has failed
 * takes another program: only tools do that.
 */
#include "failure.h"

#include <errno.h>
#include <limits.h>
#include <linux/netnice.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"

/*
 * Run modprobe(8) to get its error message: the kernel has just run it, and discards its output.
 */
static void ask_modprobe(char *line, size_t size)
{
	FILE *f = popen("modprobe=$(cat /proc/sys/kernel/modprobe 2>/dev/null) && "
			"LC_ALL=C exec \"$modprobe\" " NETNICE_FS_NAME " 2>&1", "re");

	*line = '\0';
	if (!f)
		return;
	while (fgets(line, size, f))
		line[strcspn(line, "\n")] = '\0';
	pclose(f);
	if (strncmp(line, "modprobe: ", strlen("modprobe: ")))
		*line = '\0';
}

static void say_absent(void)
{
	char line[256];

	ask_modprobe(line, sizeof(line));
	if (strstr(line, "Key was rejected") || strstr(line, "Required key not available"))
		complain("the netnice module is not loaded: this kernel takes only modules that are signed with a key it knows; installing.rst, \"Secure Boot\", says how to enrol that of DKMS");
	else
		complain("the netnice module is not loaded, and loading it failed (%s)",
			 *line ? line : "is it installed? \"modprobe netnice\" says more");
}

/* Return: @ret, after a message about a failure. */
static int tell(int ret, const char *why)
{
	if (ret && errno == ENODEV && !geteuid())
		say_absent();
	else if (ret)
		complain("%s", why);
	return ret;
}

int handle_open(struct netnice *nn)
{
	return tell(handle_begin(nn), nn->why);
}

int nnfs_open(struct nnfs *fs)
{
	char why[NNFS_SENTENCE_MAX];

	return tell(nnfs_find(fs, why), why);
}

int genl_open(struct genl *genl)
{
	char why[NNFS_SENTENCE_MAX];
	int ret = genl_find(genl, why);

	if (ret)
		complain("%s", why);
	return ret;
}

int genl_open_events(struct genl *genl)
{
	char why[NNFS_SENTENCE_MAX];
	int ret = genl_find_events(genl, why);

	if (ret)
		complain("%s", why);
	return ret;
}

/* How much of the sentence says what has just been said: "weight: " of "eth0/web: weight" */
static size_t repeated(const char *what, const char *sentence)
{
	const char *end = strstr(sentence, ": ");
	const size_t len = end ? end - sentence : 0, before = strlen(what);

	if (!len || before < len || strncmp(what + before - len, sentence, len) ||
	    (before > len && what[before - len - 1] != ' '))
		return 0;
	return len + strlen(": ");
}

void nnfs_warn(const struct nnfs *fs, const char *fmt, ...)
{
	char sentence[NNFS_SENTENCE_MAX];
	char what[PATH_MAX];
	int err = errno;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);

	errno = err;
	nnfs_reason(fs, sentence);
	complain("%s: %s", what, sentence + repeated(what, sentence));
	errno = err;
}
