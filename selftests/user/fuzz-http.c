// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to "vifctl export --listen", as a fuzzer's input: whatever comes, in whatever pieces, the
 * other side gets one answer at most, of the length that its head says, and its connection ends. The
 * first byte says how large the pieces are, the second one how fast the answer is read.
 */
#include <assert.h>
#include <stdint.h>

#include "../../tools/vifctl/http.c"

#define PAGE	"netnice_vif_info{device=\"eth0\",vif=\"web\"} 1\n"
#define ROUNDS	100000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In place of complain.c: nothing is said. */
void complain(const char *fmt, ...)
{
	(void)fmt;
}

static int put_test_page(FILE *page, void *arg)
{
	(void)arg;
	return fputs(PAGE, page) < 0 ? -1 : 0;
}

struct client {
	int sock;
	char *answer;
	size_t length;
	bool has_ended;
};

static void read_answer(struct client *client, size_t most)
{
	char part[256];
	const ssize_t got = recv(client->sock, part, most < sizeof(part) ? most : sizeof(part),
				 MSG_DONTWAIT);

	if (got > 0) {
		client->answer = realloc(client->answer, client->length + got + 1);
		memcpy(client->answer + client->length, part, got);
		client->length += got;
		client->answer[client->length] = '\0';
	}
	client->has_ended |= !got;
}

static void check_answer(const struct client *client, bool is_head)
{
	const char *body, *length;

	if (!client->length)
		return;
	body = strstr(client->answer, "\r\n\r\n");
	length = strstr(client->answer, "Content-Length: ");
	assert(!strncmp(client->answer, "HTTP/1.1 ", 9) && body && length);
	body += 4;
	/* one that is no whole request is answered with a body */
	assert((is_head && !*body) || strlen(body) == strtoul(length + 16, NULL, 10));
	assert(strlen(client->answer) == client->length);
}

/* @piece: bytes of the request at a time; @most: of the answer */
static void run(struct server *server, struct client *client, const uint8_t *data, size_t size,
		size_t piece, size_t most)
{
	struct connection *connection = &server->connection[0];
	size_t told = 0, part;

	for (int i = 0; connection->sock >= 0 && i < ROUNDS; i++) {
		part = size - told < piece ? size - told : piece;
		if (part) {
			const ssize_t sent = send(client->sock, data + told, part,
						  MSG_DONTWAIT | MSG_NOSIGNAL);

			told += sent > 0 ? sent : 0;
		} else {
			shutdown(client->sock, SHUT_WR);
		}
		move(server, connection);
		assert(connection->sock < 0 || connection->length < REQUEST_BYTES);
		read_answer(client, most);
	}
	assert(connection->sock < 0);
	for (int i = 0; !client->has_ended && i < ROUNDS; i++)
		read_answer(client, sizeof(PAGE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct server *server;
	struct client client = { 0 };
	int ends[2];

	if (size < 3 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 0;
	server = calloc(1, sizeof(*server));
	server->put = put_test_page;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		server->connection[i].sock = -1;
	server->connection[0].sock = ends[0];
	set_state(&server->connection[0], READS, REQUEST_NS);
	client.sock = ends[1];
	run(server, &client, data + 2, size - 2, 1 + data[0] * 8, 1 + data[1]);
	check_answer(&client, size > 7 && !memcmp(data + 2, "HEAD ", 5));
	close(client.sock);
	free(client.answer);
	put_page(server->page);
	free(server);
	return 0;
}
