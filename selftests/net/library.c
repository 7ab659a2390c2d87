// SPDX-License-Identifier: GPL-2.0
/*
 * libnetnice(3), with sanitizers: what each function does, how it fails, what a transaction undoes, and
 * that two threads with a handle each do not disturb each other.
 *
 *	library DEVICE
 *
 * Prints "ok SENTENCE" or "not ok SENTENCE". DEVICE has no VIF but its root.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netnice.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS	50

static const char *dev;
static struct netnice *nn;

static void report(bool is_right, const char *sentence)
{
	printf("%s %s\n", is_right ? "ok" : "not ok", sentence);
	if (!is_right)
		printf("# errno %d, %s\n", errno, netnice_strerror(nn));
}

/* The path of a VIF; eight are valid at a time. */
static const char *at(const char *below)
{
	static char path[8][128];
	static unsigned int n;
	char *text = path[n++ % 8];

	snprintf(text, sizeof(path[0]), "%s/%s", dev, below);
	return text;
}

/* --- the state, as text --- */

static const char *const watched[] = { "bandwidth", "weight", "class", "owner", "mode", "autoremove" };

struct state {
	char text[8192];
	size_t len;
};

static void append(struct state *state, const char *word)
{
	state->len += snprintf(state->text + state->len, sizeof(state->text) - state->len, "%s ", word);
	if (state->len >= sizeof(state->text))
		abort();
}

static int add_vif(const char *vif, void *arg)
{
	struct state *state = arg;

	append(state, vif);
	for (size_t i = 0; i < sizeof(watched) / sizeof(*watched); i++) {
		char *value = netnice_get(nn, vif, watched[i]);

		append(state, value ?: "?");
		free(value);
	}
	return netnice_list(nn, vif, add_vif, state);
}

static int add_attachment(const struct netnice_attachment *attachment, void *arg)
{
	char number[32];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)attachment->number);
	append(arg, attachment->vif);
	append(arg, attachment->kind);
	append(arg, number);
	return 0;
}

static struct state state_read(void)
{
	struct state state = { .len = 0 };

	if (add_vif(dev, &state) || netnice_attachments(nn, dev, add_attachment, &state))
		append(&state, "cannot be read");
	return state;
}

static bool is_same(const struct state *a, const struct state *b)
{
	if (!strcmp(a->text, b->text))
		return true;
	printf("# before: %s\n# after:  %s\n", a->text, b->text);
	return false;
}

static pid_t start_child(char name[16])
{
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	snprintf(name, 16, "%d", child);
	return child;
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* --- functions and errors --- */

static bool fails(int ret, int err, const char *word)
{
	return ret == -1 && errno == err && strstr(netnice_strerror(nn), word);
}

static void check_errors(void)
{
	char self[16];

	report(fails(netnice_create(nn, "../x", 0755), EINVAL, "not the path of a VIF"),
	       "a path out of the file system is invalid");
	report(fails(netnice_create(nn, "/tmp/x", 0755), EINVAL, "not the path"), "so is an absolute path");
	report(fails(netnice_create(nn, "../\033[31m", 0755), EINVAL, "'../\\033[31m' is not"),
	       "control characters are escaped");
	report(fails(netnice_create(nn, "none0/x", 0755), ENOENT, ""), "a device that does not exist");
	report(!netnice_create(nn, at("a"), 0755), "a VIF is created");
	report(strstr(netnice_strerror(nn), "No such file"), "a success keeps the sentence of the last failure");
	report(fails(netnice_create(nn, at("a"), 0755), EEXIST, "exist"), "once only");
	report(fails(netnice_set(nn, at("a"), "bandwidth", "5 apples"), EINVAL, "bandwidth"),
	       "an invalid value: the kernel's sentence");
	report(fails(netnice_set(nn, at("a"), "colour", "red"), EINVAL, "'colour' is not a parameter"),
	       "an unknown parameter");
	report(fails(netnice_set(nn, at("a"), "mode", "9"), EDOM, ""), "an invalid mode");
	report(fails(netnice_attach(nn, at("a"), "planet", "3"), EINVAL, "'planet' is not a kind"),
	       "an unknown kind of target");
	report(fails(netnice_attach(nn, at("a"), "cgroup", "../x"), EINVAL, ""), "an invalid control group");
	report(fails(netnice_attach(nn, at("a"), "process", "999999"), ENOENT, ""), "no such process");
	snprintf(self, sizeof(self), "%d", getpid());
	report(fails(netnice_detach(nn, at("a"), "process", self), ESRCH, ""), "what is not attached");
	report(!netnice_get(nn, at("a"), "../stat") && errno == EINVAL, "a file of another directory");
	report(!netnice_read_event(nn) && errno == EINVAL, "events before netnice_watch()");
	report(!netnice_begin(nn) && fails(netnice_begin(nn), EBUSY, "open transaction"),
	       "one transaction at a time");
	netnice_commit(nn);
}

static void check_functions(void)
{
	char *value = NULL;
	int fd;

	report(!netnice_set(nn, at("a"), "bandwidth", "egress 1mbit ingress 8mbit") &&
	       (value = netnice_get(nn, at("a"), "bandwidth")) &&
	       !netnice_set(nn, at("a"), "bandwidth", value), "what is read can be written");
	free(value);
	value = NULL;
	report(fails(netnice_set(nn, at("a"), "program", ""), EINVAL, "program") &&
	       fails(netnice_set(nn, at("a"), "program", "\n"), EINVAL, "program"), "an empty program is invalid");
	report(!netnice_set(nn, at("a"), "program", "1,6 0 0 0") &&
	       fails(netnice_set(nn, at("a"), "program", "egress none\ningress rubbish"), EINVAL, "rubbish") &&
	       (value = netnice_get(nn, at("a"), "program")) && strstr(value, "6 0 0 0") && !strstr(value, "none"),
	       "of two lines, the first is put back if the second is invalid");
	printf("# program: %s\n", value);
	netnice_set(nn, at("a"), "program", "none");
	free(value);
	value = netnice_get(nn, at("a"), "stat");
	report(value && strstr(value, "egress_packets 0"), "statistics");
	free(value);
	report(!netnice_move(nn, at("a"), at("b")) && !netnice_remove(nn, at("b")), "move, remove");
	report(fails(netnice_remove(nn, at("b")), ENOENT, ""), "once only");
	netnice_create(nn, at("h"), 0755);
	fd = netnice_hold(nn, at("h"));
	value = netnice_get(nn, at("h"), "autoremove");
	report(fd >= 0 && value && !strcmp(value, "1"), "a VIF is held");
	free(value);
	close(fd);
	report(!netnice_get(nn, at("h"), "weight"), "and removed with its descriptor");
}

/* --- transactions --- */

static void count(const char *sentence, void *arg)
{
	printf("# %s\n", sentence);
	++*(int *)arg;
}

/* Return: whether all changes up to the one that is invalid were made. */
static bool change_much(const char *process, const char *other)
{
	return !netnice_create(nn, at("new"), 0700) &&
	       !netnice_set(nn, at("new"), "weight", "300") &&
	       !netnice_create(nn, at("new/below"), 0755) &&
	       !netnice_set(nn, at("old"), "bandwidth", "2mbit") &&
	       !netnice_set(nn, at("old"), "bandwidth", "ingress 3mbit") &&
	       !netnice_set(nn, at("old"), "owner", "1000:1000") &&
	       !netnice_attach(nn, at("new"), "process", process) &&
	       !netnice_attach(nn, at("new/below"), "process", other) &&
	       !netnice_detach(nn, at("new/below"), "process", other) &&
	       !netnice_remove(nn, at("gone")) &&
	       !netnice_move(nn, at("old"), at("new/old")) &&
	       netnice_set(nn, at("new"), "priority", "many") && errno == EINVAL;
}

static void check_rollback(void)
{
	struct state before, after;
	char process[16], other[16];
	pid_t child = start_child(process), second = start_child(other);
	int left = 0;

	netnice_create(nn, at("old"), 0755);
	netnice_set(nn, at("old"), "bandwidth", "egress 1mbit ingress max");
	netnice_create(nn, at("gone"), 0750);
	netnice_set(nn, at("gone"), "bandwidth", "5mbit");
	netnice_set(nn, at("gone"), "weight", "7");
	netnice_set(nn, at("gone"), "owner", "1001:1001");
	netnice_attach(nn, at("old"), "process", process);
	before = state_read();

	netnice_begin(nn);
	report(change_much(process, other), "changes, and then a failure");
	report(strstr(netnice_strerror(nn), "priority"), "the sentence is about the failure");
	after = state_read();
	report(strcmp(before.text, after.text), "until then the changes were in force");
	report(!netnice_rollback(nn, count, &left) && !left, "rollback");
	/* the user's VIF was created by a process, whose attachment ends a moment after it */
	for (int n = 0; n < 100; n++) {
		after = state_read();
		if (!strcmp(before.text, after.text))
			break;
		usleep(10000);
	}
	report(is_same(&before, &after), "undoes all of them");

	netnice_begin(nn);
	netnice_set(nn, at("old"), "weight", "9");
	netnice_commit(nn);
	netnice_rollback(nn, NULL, NULL);
	after = state_read();
	report(strcmp(before.text, after.text), "commit keeps them");
	end_child(child);
	end_child(second);
	netnice_remove(nn, at("old"));
	netnice_remove(nn, at("gone"));
}

static void check_left(void)
{
	struct netnice *second = NULL;
	int left = 0;

	netnice_begin(nn);
	netnice_create(nn, at("x"), 0755);
	netnice_create(nn, at("y"), 0755);
	netnice_open(&second);
	netnice_create(second, at("x/other"), 0755);
	report(netnice_rollback(nn, count, &left) == -1 && left == 1 &&
	       strstr(netnice_strerror(nn), "cannot be removed again"), "what cannot be undone is said");
	report(!netnice_get(nn, at("y"), "weight"), "and the rest is undone");
	netnice_begin(second);
	netnice_remove(second, at("x/other"));
	netnice_close(second);
	report(!netnice_remove(nn, at("x/other")) && !netnice_remove(nn, at("x")),
	       "to close a handle rolls back");
}

/* A VIF that a transaction has created, when a child inherits it and when the kernel removes it. */
static void check_created(void)
{
	char self[16], process[16];
	char *value = NULL;
	int left = 0, fd;
	pid_t child;

	snprintf(self, sizeof(self), "%d", getpid());
	netnice_begin(nn);
	netnice_create(nn, at("l"), 0755);
	netnice_set(nn, at("l"), "bandwidth", "1mbit");
	netnice_attach(nn, at("l"), "process", self);
	netnice_move(nn, at("l"), at("m"));
	netnice_set(nn, at("m"), "weight", "5");
	child = start_child(process);
	report(netnice_rollback(nn, count, &left) == -1 && left == 1 &&
	       strstr(netnice_strerror(nn), "keeps its limits"), "a VIF that a child is in stays, which is said");
	value = netnice_get(nn, at("l"), "bandwidth");
	report(value && !strcmp(value, "1mbit"), "with its limit");
	free(value);
	report(netnice_detach(nn, at("l"), "process", self) == -1 && errno == ESRCH, "its creator is detached");
	end_child(child);
	netnice_remove(nn, at("l"));

	child = start_child(process);
	netnice_begin(nn);
	netnice_create(nn, at("h"), 0755);
	netnice_set(nn, at("h"), "bandwidth", "1mbit");
	fd = netnice_hold(nn, at("h"));
	netnice_move(nn, at("h"), at("i"));
	netnice_attach(nn, at("i"), "process", process);
	netnice_detach(nn, at("i"), "process", process);
	close(fd);
	report(!netnice_get(nn, at("i"), "weight") && !netnice_rollback(nn, count, &left),
	       "what the kernel has removed is undone");
	end_child(child);

	netnice_create(nn, at("o"), 0755);
	netnice_begin(nn);
	netnice_create(nn, at("c"), 0755);
	netnice_move(nn, at("o"), at("c/o"));
	netnice_move(nn, at("c/o"), at("p"));
	report(!netnice_remove(nn, at("c")) && !netnice_rollback(nn, count, &left) &&
	       !netnice_remove(nn, at("o")), "a VIF goes back through one that was created and removed");
}

/* A descriptor is another socket's by the time of the rollback. */
static void check_descriptor(void)
{
	const int sock = socket(AF_INET, SOCK_DGRAM, 0), other = socket(AF_INET, SOCK_DGRAM, 0),
		  kept = dup(sock);
	char name[32];

	snprintf(name, sizeof(name), "%d:%d", getpid(), sock);
	netnice_create(nn, at("s"), 0755);
	netnice_create(nn, at("t"), 0755);
	report(!netnice_attach(nn, at("s"), "socket", name), "a socket is attached");
	netnice_begin(nn);
	report(!netnice_attach(nn, at("t"), "socket", name), "and moved");
	if (dup2(other, sock) < 0)
		abort();
	report(fails(netnice_rollback(nn, NULL, NULL), ESRCH, "another socket") &&
	       netnice_detach(nn, at("s"), "socket", name) == -1 && errno == ESRCH,
	       "another socket at its descriptor is not attached in its place");
	snprintf(name, sizeof(name), "%d:%d", getpid(), kept);
	report(!netnice_detach(nn, at("t"), "socket", name) && !netnice_remove(nn, at("t")) &&
	       !netnice_remove(nn, at("s")), "the first socket stays where it was");
	close(sock);
	close(other);
	close(kept);
}

/* In a child: its parent's handle. Return: whether it leaves alone what the parent does with it. */
static bool is_refused(void)
{
	return fails(netnice_create(nn, at("g"), 0755), EINVAL, "belongs to process") &&
	       !netnice_get(nn, at("f"), "weight") && errno == EINVAL &&
	       netnice_attachments(nn, NULL, add_attachment, NULL) == -1 && errno == EINVAL &&
	       fails(netnice_rollback(nn, NULL, NULL), EINVAL, "after fork");
}

static void check_fork(void)
{
	char *value;
	int status = -1;
	pid_t child;

	netnice_begin(nn);
	netnice_create(nn, at("f"), 0755);
	netnice_set(nn, at("f"), "bandwidth", "1mbit");
	child = fork();
	if (!child) {
		const bool is_right = is_refused();

		netnice_close(nn);
		_exit(!is_right);
	}
	waitpid(child, &status, 0);
	report(!status, "a child cannot use its parent's handle");
	value = netnice_get(nn, at("f"), "bandwidth");
	report(value && !strcmp(value, "1mbit"), "and to close it undoes nothing");
	free(value);
	report(!netnice_rollback(nn, NULL, NULL) && !netnice_get(nn, at("f"), "weight"),
	       "the parent rolls back itself");
}

/* --- events --- */

static bool next_is(const char *name, const char *vif)
{
	const struct netnice_event *event = netnice_read_event(nn);

	if (event && !strcmp(event->name, name) && event->vif && !strcmp(event->vif, vif))
		return true;
	printf("# %s of %s instead of %s of %s\n", event ? event->name : "nothing",
	       event && event->vif ? event->vif : "none", name, vif);
	return false;
}

/* A message without a name to the socket of events */
static void send_other(int events)
{
	struct sockaddr_nl to;
	socklen_t len = sizeof(to);
	struct nlmsghdr message = { .nlmsg_len = sizeof(message), .nlmsg_type = NLMSG_NOOP };
	const int sock = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);

	if (sock < 0 || getsockname(events, (struct sockaddr *)&to, &len))
		abort();
	to.nl_groups = 0;
	if (sendto(sock, &message, sizeof(message), 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		abort();
	close(sock);
}

static void check_events(void)
{
	const struct netnice_event *event;
	char process[16];
	pid_t child = start_child(process);

	report(netnice_watch(nn) >= 0, "events are subscribed to");
	send_other(netnice_watch(nn));
	report(!netnice_read_event(nn) && errno == EAGAIN, "a message that is no event: without waiting");
	netnice_create(nn, at("e"), 0755);
	netnice_set(nn, at("e"), "weight", "2");
	netnice_move(nn, at("e"), at("f"));
	netnice_attach(nn, at("f"), "process", process);
	netnice_detach(nn, at("f"), "process", process);
	netnice_remove(nn, at("f"));
	report(next_is("vif-new", at("e")) && next_is("vif-set", at("e")), "new, set");
	event = netnice_read_event(nn);
	report(event && event->old_vif && !strcmp(event->old_vif, at("e")) && !strcmp(event->vif, at("f")),
	       "move, with the old path");
	event = netnice_read_event(nn);
	report(event && event->attachment && !strcmp(event->attachment->kind, "process") &&
	       event->attachment->number == (uint64_t)child, "attach, with the process");
	report(next_is("detach", at("f")) && next_is("vif-del", at("f")), "detach, removal");
	end_child(child);
}

/* --- threads --- */

static void *work(void *name)
{
	struct netnice *own;
	char vif[64];
	bool is_right;

	snprintf(vif, sizeof(vif), "%s/%s", dev, (const char *)name);
	is_right = !netnice_open(&own);
	for (int i = 0; i < ROUNDS && is_right; i++) {
		is_right = !netnice_begin(own) && !netnice_create(own, vif, 0755) &&
			   !netnice_set(own, vif, "weight", "5") &&
			   netnice_set(own, vif, "weight", "none") && errno == EINVAL &&
			   !netnice_rollback(own, NULL, NULL);
	}
	if (!is_right)
		printf("# %s: %s\n", vif, netnice_strerror(own));
	netnice_close(own);
	return is_right ? name : NULL;
}

static void check_threads(void)
{
	static char name[2][8] = { "one", "two" };
	pthread_t thread[2];
	void *ret[2] = { NULL };

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, name[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], &ret[i]);
	report(ret[0] && ret[1], "two threads, a handle each");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	dev = argv[1];
	setvbuf(stdout, NULL, _IOLBF, 0);
	report(!netnice_open(&nn), "a handle is opened");
	check_errors();
	check_functions();
	check_rollback();
	check_left();
	check_created();
	check_descriptor();
	check_fork();
	check_events();
	check_threads();
	netnice_close(nn);
	netnice_close(NULL);
	netnice_commit(NULL);
	netnice_rollback(NULL, NULL, NULL);
	return 0;
}
