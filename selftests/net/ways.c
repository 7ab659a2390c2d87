// SPDX-License-Identifier: GPL-2.0
/* the ways of sending and receiving of kinds that take more than one system call */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <linux/io_uring.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kinds.h"

/* how long a kernel thread looks for requests without sleeping */
#define URING_IDLE_MS 20

#define PIECE_BYTES 16384

static size_t piece(size_t left)
{
	return left < PIECE_BYTES ? left : PIECE_BYTES;
}

static size_t done(ssize_t n, const char *what)
{
	if (n <= 0)
		die(what);
	return n;
}

static void by_sendfile(int fd, char *data, size_t bytes)
{
	int file = memfd_create("data", 0);
	off_t at = 0;

	if (file < 0 || write(file, data, bytes) != (ssize_t)bytes)
		die("memfd");
	while ((size_t)at < bytes)
		done(sendfile(fd, file, &at, bytes - at), "sendfile");
	close(file);
}

static void by_splice(int fd, char *data, size_t bytes)
{
	int ends[2];

	if (pipe(ends))
		die("pipe");
	while (bytes) {
		size_t n = done(write(ends[1], data, piece(bytes)), "pipe");

		for (bytes -= n; n;)
			n -= done(splice(ends[0], NULL, fd, NULL, n, 0), "splice");
	}
	close(ends[0]);
	close(ends[1]);
}

static void by_splice_receive(int fd, char *data, size_t bytes)
{
	int ends[2];

	if (pipe(ends))
		die("pipe");
	while (bytes) {
		size_t n = done(splice(fd, NULL, ends[1], NULL, piece(bytes), 0), "splice");

		for (bytes -= n; n;)
			n -= done(read(ends[0], data, n), "pipe");
	}
	close(ends[0]);
	close(ends[1]);
}

/* The kernel says on the error queue when it has done with the memory. */
static void by_zerocopy(int fd, char *data, size_t bytes)
{
	char control[CMSG_SPACE(sizeof(struct sock_extended_err) + sizeof(struct sockaddr_in6))];
	struct msghdr msg = { .msg_control = control };
	struct pollfd pollfd = { .fd = fd };
	int one = 1, zero = 0;

	if (setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
		die("SO_ZEROCOPY");
	while (bytes) {
		bytes -= done(send(fd, data, piece(bytes), MSG_ZEROCOPY), "MSG_ZEROCOPY");
		msg.msg_controllen = sizeof(control);
		if (poll(&pollfd, 1, -1) < 1 || recvmsg(fd, &msg, MSG_ERRQUEUE) < 0)
			die("error queue");
	}
	setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &zero, sizeof(zero));
}

/* --- io_uring, by system calls ------------------------------------------------- */

struct uring {
	int fd;
	unsigned int flags;
	char *rings;
	size_t rings_bytes;
	struct io_uring_params params;
	struct io_uring_sqe *requests;
};

static void uring_open(struct uring *u, unsigned int flags)
{
	size_t answers_end;

	memset(u, 0, sizeof(*u));
	u->flags = flags;
	u->params.flags = flags;
	u->params.sq_thread_idle = URING_IDLE_MS;
	u->fd = syscall(SYS_io_uring_setup, 1, &u->params);
	if (u->fd < 0)
		die("io_uring");
	u->rings_bytes = u->params.sq_off.array + u->params.sq_entries * sizeof(uint32_t);
	answers_end = u->params.cq_off.cqes + u->params.cq_entries * sizeof(struct io_uring_cqe);
	if (u->rings_bytes < answers_end)
		u->rings_bytes = answers_end;
	u->rings = mmap(NULL, u->rings_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			u->fd, IORING_OFF_SQ_RING);
	u->requests = mmap(NULL, sizeof(*u->requests), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_POPULATE, u->fd, IORING_OFF_SQES);
	if (u->rings == MAP_FAILED || u->requests == MAP_FAILED)
		die("io_uring");
}

static void uring_close(struct uring *u)
{
	munmap(u->requests, sizeof(*u->requests));
	munmap(u->rings, u->rings_bytes);
	close(u->fd);
}

static uint32_t *uring_word(struct uring *u, uint32_t offset)
{
	return (uint32_t *)(u->rings + offset);
}

/* one request, and its answer */
static int uring_do(struct uring *u, const struct io_uring_sqe *request)
{
	uint32_t *tail = uring_word(u, u->params.sq_off.tail);
	uint32_t *head = uring_word(u, u->params.cq_off.head);
	unsigned int enter = IORING_ENTER_GETEVENTS;
	const struct io_uring_cqe *answers = (void *)(u->rings + u->params.cq_off.cqes);
	int result;

	*u->requests = *request;
	*uring_word(u, u->params.sq_off.array) = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_SEQ_CST);
	if (u->flags & IORING_SETUP_SQPOLL &&
	    __atomic_load_n(uring_word(u, u->params.sq_off.flags), __ATOMIC_SEQ_CST) &
	    IORING_SQ_NEED_WAKEUP)
		enter |= IORING_ENTER_SQ_WAKEUP;
	if (syscall(SYS_io_uring_enter, u->fd, 1, 1, enter, NULL, 0) < 0)
		die("io_uring");
	while (__atomic_load_n(uring_word(u, u->params.cq_off.tail), __ATOMIC_ACQUIRE) == *head)
		usleep(1000);
	result = answers[*head & *uring_word(u, u->params.cq_off.ring_mask)].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

static void by_uring(int fd, char *data, size_t bytes, int opcode, unsigned int setup,
		     unsigned int how)
{
	struct uring u;

	uring_open(&u, setup);
	while (bytes) {
		struct io_uring_sqe request = {
			.opcode = opcode,
			.flags = how,
			.fd = fd,
			.addr = (uintptr_t)data,
			.len = piece(bytes),
		};
		int n = uring_do(&u, &request);

		errno = n < 0 ? -n : 0;
		bytes -= done(n, "io_uring");
	}
	uring_close(&u);
}

static void by_uring_send(int fd, char *data, size_t bytes)
{
	by_uring(fd, data, bytes, IORING_OP_SEND, 0, 0);
}

/* by another thread, which the kernel makes for it */
static void by_uring_worker(int fd, char *data, size_t bytes)
{
	by_uring(fd, data, bytes, IORING_OP_SEND, 0, IOSQE_ASYNC);
}

/* by another thread that looks for requests */
static void by_uring_poll(int fd, char *data, size_t bytes)
{
	by_uring(fd, data, bytes, IORING_OP_SEND, IORING_SETUP_SQPOLL, 0);
}

static void by_uring_receive(int fd, char *data, size_t bytes)
{
	by_uring(fd, data, bytes, IORING_OP_RECV, 0, 0);
}

static void by_uring_poll_receive(int fd, char *data, size_t bytes)
{
	by_uring(fd, data, bytes, IORING_OP_RECV, IORING_SETUP_SQPOLL, 0);
}

/* --- by name ------------------------------------------------------------------- */

void way_do(const char *name, int fd, char *data, size_t bytes)
{
	static const struct {
		const char *name;
		void (*run)(int fd, char *data, size_t bytes);
	} ways[] = {
		{ "sendfile", by_sendfile },
		{ "splice", by_splice },
		{ "splice-receive", by_splice_receive },
		{ "zerocopy", by_zerocopy },
		{ "uring", by_uring_send },
		{ "uring-worker", by_uring_worker },
		{ "uring-poll", by_uring_poll },
		{ "uring-receive", by_uring_receive },
		{ "uring-poll-receive", by_uring_poll_receive },
	};

	for (unsigned int i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name)) {
			ways[i].run(fd, data, bytes);
			return;
		}
	errno = EINVAL;
	die(name);
}

void way_tls(int fd)
{
	struct tls12_crypto_info_aes_gcm_128 key = {
		.info.version = TLS_1_3_VERSION,
		.info.cipher_type = TLS_CIPHER_AES_GCM_128,
	};

	if (setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")) ||
	    setsockopt(fd, SOL_TLS, TLS_TX, &key, sizeof(key)) ||
	    setsockopt(fd, SOL_TLS, TLS_RX, &key, sizeof(key)))
		die("tls");
}
