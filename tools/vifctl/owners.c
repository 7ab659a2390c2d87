// SPDX-License-Identifier: GPL-2.0
/*
 * The module resolves attachments in the same way (vif/attach/resolve.c), and knows which thread
 * used a socket last. Here a thread's attachment counts if its process has none.
 */
#include "owners.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "group.h"
#include "path.h"

/*
 * At most this many processes, and descriptors of all of them, are read, so that a screen does not take
 * seconds. An inherited descriptor counts for each process.
 */
#define PROCESSES_MAX	4096
#define DESCRIPTORS_MAX	65536

/* At most this many control groups are read: users may create any number in delegated groups. */
#define GROUPS_MAX	16384

static int add_owner(struct owners *owners, uint64_t number, const struct attached *by)
{
	struct owner *owner = array_add(&owners->owner, &owners->count, sizeof(*owner));

	if (!owner)
		return -1;
	*owner = (struct owner) { number, by };
	return 0;
}

/* --- what is attached; devices have no sockets --- */

static int read_attachments(struct owners *owners, const struct genl *genl)
{
	int ret = attachments_read(&owners->attachments, genl, NULL);

	for (size_t i = 0; !ret && i < owners->attachments.count; i++) {
		const struct attached *by = &owners->attachments.all[i];

		if (by->kind != TARGET_DEVICE)
			ret = add_owner(owners, by->kind == TARGET_THREAD ?
					by->process : by->number, by);
	}
	return ret;
}

/* --- groups: an attachment applies to groups below, up to the next attached group --- */

/* Groups that are attached themselves, by number and device */
struct groups {
	const struct attached **all;
	size_t count;
};

struct walk {
	struct owners *owners;
	const struct groups *groups;
	const struct attached *by;
	size_t left;
};

static int by_group(const void *a, const void *b)
{
	const struct attached *x = *(const struct attached *const *)a;
	const struct attached *y = *(const struct attached *const *)b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

static bool is_attached(const struct groups *groups, uint64_t number, unsigned int ifindex)
{
	const struct attached key = { .number = number, .ifindex = ifindex }, *found = &key;

	return bsearch(&found, groups->all, groups->count, sizeof(found), by_group);
}

/* The number of a group is the inode number of its directory. */
static enum group_next look_at(const char *path, const struct stat *directory, void *arg)
{
	const uint64_t number = directory->st_ino;
	struct walk *walk = arg;

	(void)path;
	if (number == walk->by->number)
		return GROUP_BELOW;
	if (is_attached(walk->groups, number, walk->by->ifindex))
		return GROUP_BESIDE;
	if (!walk->left || add_owner(walk->owners, number, walk->by))
		return GROUP_END;
	walk->left--;
	return GROUP_BELOW;
}

static int read_groups(struct owners *owners)
{
	struct groups groups = { .all = calloc(owners->count + 1, sizeof(*groups.all)) };

	if (!groups.all)
		return -1;
	for (size_t i = 0; i < owners->count; i++)
		if (owners->owner[i].by->kind == TARGET_CGROUP && owners->owner[i].by->name)
			groups.all[groups.count++] = owners->owner[i].by;
	qsort(groups.all, groups.count, sizeof(*groups.all), by_group);
	for (size_t i = 0; i < groups.count; i++)
		group_walk(groups.all[i]->name + 1, look_at,
			   &(struct walk) { owners, &groups, groups.all[i],
					    GROUPS_MAX / groups.count });
	free(groups.all);
	return 0;
}

/* --- descriptors --- */

struct holding {
	struct owners *owners;
	pid_t pid;
};

static int add_holder(uint64_t inode, void *arg)
{
	const struct holding *holding = arg;
	struct owners *owners = holding->owners;
	struct holder *holder = array_add(&owners->holder, &owners->n_holders,
					  sizeof(*holder));

	if (!holder)
		return -1;
	*holder = (struct holder) { inode, holding->pid };
	return 0;
}

/* @is_cut: it has more descriptors than were read */
struct open_process {
	pid_t pid;
	bool is_cut;
};

/*
 * Processes of others, and processes that are gone, are left out. Return: how many of @most
 * descriptors are left, or -1 without memory.
 */
static long read_descriptors(struct owners *owners, struct open_process *process, size_t most)
{
	struct holding holding = { owners, process->pid };
	size_t left = most;

	if (process_sockets(process->pid, &left, add_holder, &holding) && errno == ENOMEM)
		return -1;
	process->is_cut = !left;
	return left;
}

/* Each has its part; what some leave is for those that have more. */
static int read_parts(struct owners *owners, struct open_process *process, size_t count)
{
	size_t spare = DESCRIPTORS_MAX, cut = 0;
	long left;

	for (size_t i = 0; i < count; i++) {
		left = read_descriptors(owners, &process[i], DESCRIPTORS_MAX / count);
		if (left < 0)
			return -1;
		spare -= DESCRIPTORS_MAX / count - left;
		cut += process[i].is_cut;
	}
	/* from the start again: what is there twice is found once */
	for (size_t i = 0; i < count; i++)
		if (process[i].is_cut &&
		    read_descriptors(owners, &process[i], DESCRIPTORS_MAX / count + spare / cut) < 0)
			return -1;
	return 0;
}

static int read_processes(struct owners *owners)
{
	struct open_process *process = calloc(PROCESSES_MAX, sizeof(*process));
	size_t count = 0;
	int ret;

	if (!process)
		return -1;
	/* sorted: each process's follow one another, but threads come later */
	for (size_t i = 0; i < owners->count && count < PROCESSES_MAX; i++) {
		const struct owner *owner = &owners->owner[i];

		if (owner->by->kind <= TARGET_THREAD &&
		    !(count && (uint64_t)process[count - 1].pid == owner->number))
			process[count++].pid = owner->number;
	}
	ret = read_parts(owners, process, count);
	free(process);
	return ret;
}

/* --- all together --- */

static int owner_order(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	if (x->by->kind != y->by->kind)
		return x->by->kind < y->by->kind ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int holder_order(const void *a, const void *b)
{
	const struct holder *x = a, *y = b;

	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static void sort(void *base, size_t count, size_t size,
		 int (*order)(const void *a, const void *b))
{
	if (count)
		qsort(base, count, size, order);
}

int owners_read(struct owners *owners, const struct genl *genl)
{
	int ret;

	*owners = (struct owners) { 0 };
	ret = read_attachments(owners, genl);
	if (!ret)
		ret = read_groups(owners);
	sort(owners->owner, owners->count, sizeof(*owners->owner), owner_order);
	if (!ret)
		ret = read_processes(owners);
	sort(owners->holder, owners->n_holders, sizeof(*owners->holder),
	     holder_order);
	if (!ret)
		ret = getifaddrs(&owners->addresses);
	if (ret)
		owners_free(owners);
	return ret;
}

void owners_free(struct owners *owners)
{
	int err = errno;

	attachments_free(&owners->attachments);
	free(owners->owner);
	free(owners->holder);
	if (owners->addresses)
		freeifaddrs(owners->addresses);
	*owners = (struct owners) { 0 };
	errno = err;
}

pid_t owners_process(const struct owners *owners,
		     const struct socket_info *socket)
{
	const struct holder key = { .inode = socket->inode };
	const struct holder *holder;

	if (!socket->inode || !owners->n_holders)
		return 0;
	holder = bsearch(&key, owners->holder, owners->n_holders, sizeof(key),
			 holder_order);
	return holder ? holder->pid : 0;
}

/* --- resolution --- */

/* What it is attached to itself, and has chosen, on a device */
struct level {
	const char *given;
	const char *chosen;
};

static struct level find_level(const struct owners *owners, unsigned int kind,
			       uint64_t number, unsigned int ifindex)
{
	const struct attached by = { .kind = kind };
	const struct owner key = { .number = number, .by = &by };
	const struct owner *end = owners->owner + owners->count, *owner;
	struct level level = { NULL, NULL };

	if (!number || !owners->count)
		return level;
	owner = bsearch(&key, owners->owner, owners->count, sizeof(key),
			owner_order);
	while (owner && owner > owners->owner && !owner_order(owner - 1, &key))
		owner--;
	for (; owner && owner < end && !owner_order(owner, &key); owner++) {
		if (owner->by->ifindex != ifindex)
			continue;
		if (owner->by->is_admins)
			level.given = owner->by->path;
		else
			level.chosen = owner->by->path;
	}
	return level;
}

static struct level find_process(const struct owners *owners, pid_t pid,
				 unsigned int ifindex)
{
	struct level level = find_level(owners, TARGET_PROCESS, pid,
					ifindex);

	if (!level.given && !level.chosen)
		level = find_level(owners, TARGET_THREAD, pid, ifindex);
	return level;
}

/* Return: the VIF by attachments that count, NULL if there are none. */
static const char *resolve(const struct owners *owners,
			   const struct socket_info *socket,
			   const struct owners_device *device)
{
	const unsigned int ifindex = device->ifindex;
	const struct level level[] = {
		find_level(owners, TARGET_SOCKET, socket->cookie, ifindex),
		find_process(owners, owners_process(owners, socket), ifindex),
		find_level(owners, TARGET_CGROUP, socket->cgroup, ifindex),
	};
	const size_t n = sizeof(level) / sizeof(*level);
	const char *path = NULL;
	size_t i;

	/* what has been given ends the search among weaker ones */
	for (i = 0; i < n && !level[i].given; i++)
		;
	if (i < n)
		path = level[i].given;
	else
		i = n - 1;
	for (i++; i-- > 0;)
		if (level[i].chosen &&
		    path_is_below(level[i].chosen, path ? path : device->name))
			path = level[i].chosen;
	return path;
}

static bool is_address(const struct sockaddr *addr, const struct in6_addr *is)
{
	if (!addr)
		return false;
	if (addr->sa_family == AF_INET)
		return IN6_IS_ADDR_V4MAPPED(is) &&
		       !memcmp(&((const struct sockaddr_in *)addr)->sin_addr,
			       &is->s6_addr[12], 4);
	return addr->sa_family == AF_INET6 &&
	       !memcmp(&((const struct sockaddr_in6 *)addr)->sin6_addr, is,
		       sizeof(*is));
}

/* Whether a device has the address, any if it is NULL */
static bool has_address(const struct owners *owners, const char *dev,
			const struct in6_addr *address)
{
	for (const struct ifaddrs *i = owners->addresses; i; i = i->ifa_next)
		if ((!dev || !strcmp(dev, i->ifa_name)) &&
		    is_address(i->ifa_addr, address))
			return true;
	return false;
}

/* Ports of bridges and bonds have none of their own. */
static bool has_addresses(const struct owners *owners, const char *dev, int family)
{
	for (const struct ifaddrs *i = owners->addresses; i; i = i->ifa_next)
		if (!strcmp(dev, i->ifa_name) && i->ifa_addr &&
		    i->ifa_addr->sa_family == family)
			return true;
	return false;
}

/* Its packets have the address of another device, and this one has its own. */
static bool is_elsewhere(const struct owners *owners,
			 const struct socket_info *socket,
			 const struct owners_device *device)
{
	const struct in6_addr *address = &socket->local.address;

	return has_address(owners, NULL, address) &&
	       !has_address(owners, device->name, address) &&
	       has_addresses(owners, device->name,
			     IN6_IS_ADDR_V4MAPPED(address) ? AF_INET : AF_INET6);
}

static bool is_local(const struct owners *owners, const struct in6_addr *address)
{
	return (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127) ||
	       has_address(owners, NULL, address);
}

void owners_find_device(const struct owners *owners, const char *name,
			struct owners_device *device)
{
	*device = (struct owners_device) {
		.name = name, .ifindex = if_nametoindex(name),
	};
	for (const struct ifaddrs *i = owners->addresses; i; i = i->ifa_next)
		if (!strcmp(name, i->ifa_name))
			device->is_loopback = i->ifa_flags & IFF_LOOPBACK;
}

const char *owners_vif(const struct owners *owners,
		       const struct socket_info *socket,
		       const struct owners_device *device)
{
	const bool stays = is_local(owners, &socket->remote.address);
	const char *path;

	if (socket->ifindex && socket->ifindex != device->ifindex)
		return NULL;
	if (stays != device->is_loopback)
		return NULL;
	if (!stays && is_elsewhere(owners, socket, device))
		return NULL;
	path = resolve(owners, socket, device);
	if (!path && (stays || has_address(owners, device->name,
					   &socket->local.address)))
		path = device->name;
	return path;
}
