// SPDX-License-Identifier: GPL-2.0
/*
 * Packets queue in a VIF if a VIF above has a limit, or if the device drains its VIFs. They pass
 * through a VIF of this network namespace if they are sent or received here.
 */
#include "effect.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "group.h"
#include "links.h"
#include "partial.h"
#include "path.h"
#include "process.h"
#include "qdisc.h"
#include "rate.h"
#include "redirect.h"

/* --- qdiscs --- */

static void look_at_qdisc(uint32_t parent, const char *kind, void *arg)
{
	bool *drains = arg;

	(void)parent;
	*drains |= !strcmp(kind, QDISC_NETNICE);
}

/* Does the device drain its VIFs itself? True if that is unknown. */
static bool is_drained_by_device(const char *dev)
{
	bool drains = false;

	return qdisc_each(if_nametoindex(dev), look_at_qdisc, &drains) || drains;
}

/* --- targets --- */

static bool is_of(const struct target *target, int kind)
{
	return target->kind == &target_kinds[kind];
}

/*
 * Do packets of the process pass VIFs of this network namespace? If not, say so. Its PID may be
 * another one in its own PID namespace, so the advice names the network namespace only.
 */
static bool process_counts(pid_t pid, const char *vif)
{
	if (!process_is_elsewhere(pid))
		return true;
	complain("%s: PID %d is in another network namespace, as processes of containers are, and nothing of it passes through this VIF: limit it there (vifctl -n /proc/%d/ns/net set DEV bandwidth RATE), or the device that leads there (vifctl attach %s device DEV)",
		 vif, pid, pid, vif);
	return false;
}

/*
 * Does the device share a bridge with another device, or has its bridge an address, so that it
 * routes?
 */
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

/*
 * Networks of containers have programs at the ends of containers, and at the device that leads out.
 * What these do is not known: this is a remark.
 */
static void say_redirects(const struct link_info *from, const struct link_info *on, const char *vif)
{
	if (redirect_is_possible(from->index) && !is_drained_by_device(on->name))
		complain("%s: a program at %s may redirect its packets past this VIF, which limits those that %s sends if %s drains its VIFs (vifctl enable --link %s; limits.rst)",
			 vif, from->name, on->name, on->name, on->name);
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
	if (from && on && counts)
		say_redirects(from, on, vif);
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

static bool has_stack(const struct nnfs *fs, const char *vif)
{
	char *stack = nnfs_read_vif(fs, vif, "stack");
	const bool has = stack && strncmp(stack, "none", strlen("none"));

	free(stack);
	return has;
}

/* Packets for an attached device are sent by that device, and are known there only. */
bool effect_attached_device(const struct nnfs *fs, const char *name, const char *vif)
{
	const u64 rate = rate_of(fs, vif, VIF_INGRESS);
	char text[VIF_PRINT_MAX];

	if (!strchr(vif, '/') || !rate || rate == VIF_RATE_MAX || has_stack(fs, vif))
		return true;
	vif_print_bits(text, rate * 8);
	complain("%s: its bandwidth for ingress does not limit packets to %s: limit what that sends (vifctl set %s bandwidth egress %s)",
		 vif, name, name, text);
	return false;
}

bool effect_attached_devices(const struct nnfs *fs, const char *vif)
{
	const int fd = openat(fs->fd, "devices", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char dev[IF_NAMESIZE], link[PATH_MAX];
	const struct dirent *entry;
	bool is = true;

	path_device(vif, dev);
	while (dir && is && (entry = readdir(dir))) {
		char *at;

		snprintf(link, sizeof(link), "devices/%s/%s", entry->d_name, dev);
		at = *entry->d_name == '.' ? NULL : nnfs_link(fs, link);
		is = !at || strcmp(at, vif) || effect_attached_device(fs, entry->d_name, vif);
		free(at);
	}
	if (dir)
		closedir(dir);
	return is;
}

/* --- shares --- */

/* A bandwidth that cannot be read counts as a limit, so that no wrong message is printed. */
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

/* Addresses of documentation (RFC 5737, RFC 3849), which are not ours */
static const uint8_t far_ip[][4] = { { 203, 0, 113, 71 }, { 198, 51, 100, 77 } };
static const uint8_t far_ip6[][16] = { { 0x20, 0x01, 0x0d, 0xb8, 1 }, { 0x20, 0x01, 0x0d, 0xb8, 2 } };

/* Whether an expression can be true of packets between other hosts. */
static bool suits_others(const struct insns *insns, int family)
{
	struct partial packet;

	partial_init(&packet, family);
	partial_set_source(&packet, family == AF_INET6 ? far_ip6[0] : far_ip[0]);
	partial_set_destination(&packet, family == AF_INET6 ? far_ip6[1] : far_ip[1]);
	return partial_can_match(insns, &packet);
}

/* Whether it can be true of packets of a host with this address, in one of @dirs. */
static bool suits_host(const struct insns *insns, int family, const void *address, unsigned int dirs)
{
	struct partial sent, received;

	partial_init(&sent, family);
	partial_init(&received, family);
	partial_set_source(&sent, address);
	partial_set_destination(&received, address);
	return (dirs & EFFECT_DIR(VIF_EGRESS) && partial_can_match(insns, &sent)) ||
	       (dirs & EFFECT_DIR(VIF_INGRESS) && partial_can_match(insns, &received));
}

/* The address if it leads to other hosts, or NULL */
static const void *address_of(const struct sockaddr *addr)
{
	const struct in6_addr *ip6 = &((const struct sockaddr_in6 *)addr)->sin6_addr;

	if (addr->sa_family == AF_INET6)
		return IN6_IS_ADDR_LINKLOCAL(ip6) ? NULL : ip6;
	return &((const struct sockaddr_in *)addr)->sin_addr;
}

/*
 * Whether it suits a device's own address, or the device has none; else one address becomes @text.
 */
static bool suits_device(const struct insns *insns, int family, const char *dev, unsigned int dirs,
			 char text[INET6_ADDRSTRLEN])
{
	struct ifaddrs *all, *one;
	bool suits = false;

	if (getifaddrs(&all))
		return true;
	*text = '\0';
	for (one = all; one && !suits; one = one->ifa_next) {
		const void *address;

		if (!one->ifa_addr || one->ifa_addr->sa_family != family || strcmp(one->ifa_name, dev))
			continue;
		address = address_of(one->ifa_addr);
		if (!address)
			continue;
		suits = suits_host(insns, family, address, dirs);
		inet_ntop(family, address, text, INET6_ADDRSTRLEN);
	}
	freeifaddrs(all);
	return suits || !*text;
}

bool effect_clause(const char *vif, const struct clause *clause, unsigned int dirs)
{
	static const int families[] = { AF_INET, AF_INET6 };
	char dev[IF_NAMESIZE], own[INET6_ADDRSTRLEN];
	bool is = true;

	path_device(vif, dev);
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		if (!suits_others(&clause->insns, families[i]) ||
		    suits_device(&clause->insns, families[i], dev, dirs, own))
			continue;
		complain("%s: '%s' is true of no %s packet that this machine %s, as %s is its own address: name the address of the other end, by 'dst' for egress and by 'src' for ingress",
			 vif, clause->text, families[i] == AF_INET6 ? "IPv6" : "IPv4",
			 dirs == EFFECT_BOTH ? "sends or receives" :
			 dirs & EFFECT_DIR(VIF_EGRESS) ? "sends" : "receives", own);
		is = false;
	}
	return is;
}

static bool can_be_udp(const struct insns *insns, int family)
{
	struct partial packet;

	partial_init(&packet, family);
	partial_set_protocol(&packet, IPPROTO_UDP);
	return partial_can_match(insns, &packet);
}

/* limits.rst says which packets these are. */
bool effect_users_program(const char *vif, const struct clauses *clauses)
{
	bool is = clauses->count;

	for (size_t i = 0; i < clauses->count && is; i++)
		is = !can_be_udp(&clauses->clause[i].insns, AF_INET) &&
		     !can_be_udp(&clauses->clause[i].insns, AF_INET6);
	if (!is)
		complain("%s: ingress: a user's program decides about packets for connections only, not about those for listeners and for sockets that are not connected (UDP servers, most QUIC clients)",
			 vif);
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
