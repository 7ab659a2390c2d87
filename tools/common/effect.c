// SPDX-License-Identifier: GPL-2.0
/*
 * Packets wait for their VIF's turn where one above it has a limit, or the device drains them; and
 * pass through a VIF of this network namespace if they are sent or received here.
 */
#include "effect.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "group.h"
#include "links.h"
#include "path.h"
#include "process.h"
#include "qdisc.h"
#include "rate.h"
#include "text.h"

/* --- targets --- */

static bool is_of(const struct target *target, int kind)
{
	return target->kind == &target_kinds[kind];
}

/*
 * Do packets of the process pass VIFs of this network namespace? If not, say so. Its PID may be another one in
 * its own PID namespace, so the advice names the network namespace only.
 */
static bool process_counts(pid_t pid, const char *vif)
{
	if (!process_is_elsewhere(pid))
		return true;
	complain("%s: PID %d is in another network namespace, as processes of containers are, and nothing of it passes through this VIF: limit it there (vifctl -n /proc/%d/ns/net set DEV bandwidth RATE), or the device that leads there (vifctl attach %s device DEV)",
		 vif, pid, pid, vif);
	return false;
}

/* A device that shares a bridge with another one, or whose bridge has an address: that routes. */
static bool has_address(const char *dev)
{
	struct ifaddrs *all, *one;
	bool has = getifaddrs(&all);	/* unknown */

	if (has)
		return has;
	for (one = all; one && !has; one = one->ifa_next)
		has = !strcmp(one->ifa_name, dev) && one->ifa_addr &&
		      (one->ifa_addr->sa_family == AF_INET ||
		       (one->ifa_addr->sa_family == AF_INET6 &&
			!IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)one->ifa_addr)->sin6_addr)));
	freeifaddrs(all);
	return has;
}

/* A VLAN or macvlan on the bridge leads on, too. */
static bool has_upper(const struct links *links, const struct link_info *bridge)
{
	for (size_t i = 0; i < links->count; i++)
		if (links->link[i].lower == bridge->index && strcmp(links->link[i].kind, "veth"))
			return true;
	return false;
}

/* The other end of a veth that is a port of the bridge, too: there packets leave it. NULL: none */
static const struct link_info *way_out(const struct links *links, const struct link_info *from)
{
	for (size_t i = 0; i < links->count; i++) {
		const struct link_info *port = &links->link[i];

		if (port->master == from->master && port != from && !strcmp(port->kind, "veth") &&
		    port->lower)
			return links_at(links, port->lower);
	}
	return NULL;
}

/* A firewall bridge (tap, fwbr, fwln = fwpr, vmbr): packets come to the next bridge by a veth. */
static bool reaches(const struct links *links, const struct link_info *from,
		    const struct link_info *on, const char *vif)
{
	const struct link_info *bridge = links_at(links, from->master), *way;

	if (!bridge || strcmp(bridge->kind, "bridge") || bridge == on || on->master == from->master ||
	    has_upper(links, bridge) || has_address(bridge->name))
		return true;
	way = way_out(links, from);
	if (way)
		complain("%s: %s is a port of %s, from which packets come to %s by %s only: attach that (vifctl attach %s device %s)",
			 vif, from->name, bridge->name, on->name, way->name, vif, way->name);
	else
		complain("%s: %s is a port of %s, from which no packets come to %s: nothing of it passes through this VIF",
			 vif, from->name, bridge->name, on->name);
	return false;
}

static bool device_counts(const char *name, const char *vif)
{
	const struct link_info *from, *on;
	char dev[IF_NAMESIZE];
	struct links links;
	bool counts = true;

	if (links_read(&links))
		return true;
	path_device(vif, dev);
	from = links_find(&links, name);
	on = links_find(&links, dev);
	if (from && on)
		counts = reaches(&links, from, on, vif);
	links_free(&links);
	return counts;
}

bool effect_target(const struct target *target, const char *vif)
{
	if (is_of(target, TARGET_PROCESS))
		return process_counts(atoi(target->name), vif);
	if (is_of(target, TARGET_CGROUP))
		return !group_warn_elsewhere(target->name, vif);
	if (is_of(target, TARGET_DEVICE))
		return device_counts(target->name, vif);
	return true;
}

/* --- qdiscs --- */

static void look_at_qdisc(uint32_t parent, const char *kind, void *arg)
{
	bool *drains = arg;

	(void)parent;
	*drains |= !strcmp(kind, QDISC_NETNICE);
}

/* The device drains its VIFs itself; also said where that is unknown. */
static bool is_drained_by_device(const char *dev)
{
	bool drains = false;

	return qdisc_each(if_nametoindex(dev), look_at_qdisc, &drains) || drains;
}

/* --- devices --- */

/* Return why VIFs on a device limit nothing of a process, or NULL. */
static const char *why_not(const struct link_info *link)
{
	if (!strcmp(link->kind, "ifb"))
		return "of packets that another device has received an ifb does not know the process: limit it on the device that receives them";
	if (!strcmp(link->kind, "vrf") && !is_drained_by_device(link->name))
		return "packets of a VRF pass through its ports only: limit them there";
	return NULL;
}

bool effect_device(const char *dev)
{
	const struct link_info *link;
	const char *why = NULL;
	struct links links;

	if (links_read(&links))
		return true;
	link = links_find(&links, dev);
	if (link)
		why = why_not(link);
	links_free(&links);
	if (why)
		complain("%s: %s", dev, why);
	return !why;
}

/* --- shares --- */

/* What may not be read is taken for a limit: nothing wrong is said then. */
static bool waits(const struct nnfs *fs, const char *vif, unsigned int dirs)
{
	char dev[IF_NAMESIZE];

	for (enum vif_dir dir = 0; dir < VIF_DIRS; dir++)
		if (dirs & EFFECT_DIR(dir) && rate_above(fs, vif, dir) != VIF_RATE_MAX)
			return true;
	path_device(vif, dev);
	return dirs & EFFECT_DIR(VIF_EGRESS) && is_drained_by_device(dev);
}

/* A root VIF shares with nothing, and what every new VIF has asks for nothing. */
bool effect_asks_share(const char *vif, const struct param *param, const char *value)
{
	char *normal;
	bool asks;

	if (!param_is_share(param) || !strchr(vif, '/'))
		return false;
	normal = param_normal(param, value);
	asks = !normal || strcmp(normal, param->initial);
	free(normal);
	return asks;
}

/* Whether a VIF that may have gone since has a share now. */
static bool asks_now(const struct nnfs *fs, const char *vif)
{
	bool asks = false;

	for (enum param_id id = 0; id < PARAM_DIRECTED && !asks; id++) {
		char *value = param_is_share(&params[id]) ? nnfs_read_vif(fs, vif, params[id].name) : NULL;

		asks = value && effect_asks_share(vif, &params[id], value);
		free(value);
	}
	return asks;
}

bool effect_shares(const struct nnfs *fs, const char *vif, unsigned int dirs)
{
	char dev[IF_NAMESIZE];

	if (waits(fs, vif, dirs))
		return true;
	path_device(vif, dev);
	complain("%s: minimum, weight and priority have no effect while no VIF above has a bandwidth%s",
		 dev, dirs & EFFECT_DIR(VIF_EGRESS) ?
		 ", and the device does not drain its VIFs (vifctl enable --link)" : "");
	return false;
}

bool effect_shares_of(const struct nnfs *fs, const struct words *vifs)
{
	char dev[IF_NAMESIZE], said[IF_NAMESIZE] = "";

	for (size_t i = 0; i < vifs->count; i++) {
		const char *vif = vifs->word[i];

		path_device(vif, dev);
		if (strcmp(dev, said) && asks_now(fs, vif) && !effect_shares(fs, vif, EFFECT_BOTH))
			strcpy(said, dev);
	}
	return !*said;
}

/* --- programs --- */

/* Whether the first @bits of two addresses are the same. */
static bool has_prefix(const uint8_t *a, const uint8_t *b, int bits)
{
	const uint8_t mask = 0xff00 >> bits % 8;

	return !memcmp(a, b, bits / 8) && !((a[bits / 8] ^ b[bits / 8]) & mask);
}

static const void *address_of(const struct sockaddr *addr)
{
	if (addr->sa_family == AF_INET6)
		return &((const struct sockaddr_in6 *)addr)->sin6_addr;
	return &((const struct sockaddr_in *)addr)->sin_addr;
}

/* An address of @dev in @net, as "10.0.0.0/8" or one address, is put into @text. False: there is none. */
static bool find_own(const char *dev, const char *net, char text[INET6_ADDRSTRLEN])
{
	/* a byte more: a prefix of all bits ends behind the address */
	uint8_t wanted[sizeof(struct in6_addr) + 1] = { 0 }, own[sizeof(wanted)] = { 0 };
	const int family = strchr(net, ':') ? AF_INET6 : AF_INET;
	const size_t bytes = family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
	const char *slash = strchr(net, '/');
	struct ifaddrs *all, *one;
	char address[INET6_ADDRSTRLEN];
	unsigned long bits = 8 * bytes;
	bool found = false;

	snprintf(address, sizeof(address), "%.*s", slash ? (int)(slash - net) : -1, net);
	if (inet_pton(family, address, wanted) != 1 ||
	    (slash && !text_number(slash + 1, 8 * bytes, &bits)) || getifaddrs(&all))
		return false;
	for (one = all; one && !found; one = one->ifa_next) {
		if (!one->ifa_addr || one->ifa_addr->sa_family != family || strcmp(one->ifa_name, dev))
			continue;
		memcpy(own, address_of(one->ifa_addr), bytes);
		found = has_prefix(own, wanted, bits);
		inet_ntop(family, own, text, INET6_ADDRSTRLEN);
	}
	freeifaddrs(all);
	return found;
}

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(word, *words))
		words++;
	return *words;
}

/* "net" and "host" alone are true of either address of a packet, and one of them is ours. */
static bool say_own(const char *vif, const char *kind, const char *net)
{
	char dev[IF_NAMESIZE], own[INET6_ADDRSTRLEN];

	path_device(vif, dev);
	if (!find_own(dev, net, own))
		return false;
	complain("%s: 'not %s %s' is true of no packet that this machine sends or receives, as %s is its own address: write 'not dst %s %s' for egress, and 'not src %s %s' for ingress",
		 vif, kind, net, own, kind, net, kind, net);
	return true;
}

bool effect_expression(const char *vif, const char *text)
{
	static const char *const kinds[] = { "net", "host", NULL };
	static const char *const not_yet[] = { "ip", "ip6", NULL };
	char *copy = strdup(text), *word, *save;
	const char *kind = NULL;
	bool is_negated = false, is = true;

	for (word = copy ? strtok_r(copy, " \t()", &save) : NULL; word && is;
	     word = strtok_r(NULL, " \t()", &save)) {
		if (kind) {
			is = !say_own(vif, kind, word);
			kind = NULL;
		} else if (!strcmp(word, "not") || !strcmp(word, "!")) {
			is_negated = true;
			continue;
		} else if (*word == '!') {
			is_negated = true;
			word++;
		}
		if (is_negated && is_one_of(word, kinds))
			kind = strcmp(word, "net") ? "host" : "net";
		is_negated = is_negated && is_one_of(word, not_yet);
	}
	free(copy);
	return is;
}

/* --- limits above --- */

/* Return: whether @above is lower than @own; it has been said then. */
static bool say_above(const char *vif, enum vif_dir dir, u64 above, u64 own)
{
	char text[VIF_PRINT_MAX];

	if (!above || above >= own)
		return false;
	vif_print_bits(text, above * 8);
	complain("%s: a VIF above has a bandwidth of %s for %s, which still holds", vif, text,
		 vif_dir_name[dir]);
	return true;
}

void effect_bandwidth(const struct nnfs *fs, const char *vif)
{
	for (enum vif_dir dir = 0; dir < VIF_DIRS; dir++) {
		const u64 own = rate_of(fs, vif, dir);

		if (own != VIF_RATE_MAX && say_above(vif, dir, rate_above(fs, vif, dir), own))
			return;
	}
}

void effect_unlimited(const struct nnfs *fs, const char *vif)
{
	for (enum vif_dir dir = 0; dir < VIF_DIRS; dir++)
		if (say_above(vif, dir, rate_above(fs, vif, dir), VIF_RATE_MAX))
			return;
}
