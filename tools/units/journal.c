// SPDX-License-Identifier: GPL-2.0
/*
 * The journal's own protocol: a datagram of lines KEY=VALUE. The journal looks up the sender's
 * control group when it reads the datagram, and we may have exited by then. So the message names
 * the unit, in the field that "journalctl -u" searches in messages of root.
 */
#include "journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include "complain.h"

#define IDENTIFIER	"netnice"

static struct {
	const char *unit;
	FILE *stream;
	char *text;
	size_t size;
} journal;

static int open_socket(void)
{
	struct sockaddr_un to = {
		.sun_family = AF_UNIX, .sun_path = "/run/systemd/journal/socket",
	};
	int sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (sock >= 0 && connect(sock, (struct sockaddr *)&to, sizeof(to))) {
		close(sock);
		return -1;
	}
	return sock;
}

/* No unit waits for a journal that is busy, or comes after it. Return: whether it has been told. */
static bool tell(int sock, const char *line)
{
	char *text;
	int len = sock < 0 ? -1 : asprintf(&text, "MESSAGE=%s\nPRIORITY=%d\n"
			   "SYSLOG_IDENTIFIER=" IDENTIFIER "\nOBJECT_SYSTEMD_UNIT=%s\n",
			   line + strlen(IDENTIFIER ": "), LOG_WARNING, journal.unit);
	bool is_told;

	if (len < 0)
		return false;
	is_told = send(sock, text, len, MSG_NOSIGNAL | MSG_DONTWAIT) == len;
	free(text);
	return is_told;
}

void journal_begin(const char *unit)
{
	journal.unit = unit;
	journal.stream = open_memstream(&journal.text, &journal.size);
	complain_as(IDENTIFIER);
	complain_to(journal.stream);
}

void journal_end(bool tells)
{
	char *line, *save;
	int sock;

	complain_to(NULL);
	if (!journal.stream)
		return;
	fclose(journal.stream);
	journal.stream = NULL;
	sock = tells && *journal.text ? open_socket() : -1;
	for (line = strtok_r(journal.text, "\n", &save); line && tells; line = strtok_r(NULL, "\n", &save))
		if (!tell(sock, line))
			fprintf(stderr, "%s\n", line);
	if (sock >= 0)
		close(sock);
	free(journal.text);
	journal.text = NULL;
}
