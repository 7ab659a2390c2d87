// SPDX-License-Identifier: GPL-2.0
/*
 * What the command finds: the machine's files, with a memory over them, and by the settings
 *	net=ADDRESS/BITS[,GATEWAY,NAMESERVER]	of vec0; may be repeated
 *	net6=ADDRESS/BITS			of vec0; may be repeated
 *	route=vec0				everybody else is on this link
 *	ports=FIRST-LAST			that the command's own are from; any may be bound
 *	rw=FOLDER				that the machine's is written to
 *	gdb=1					(of the outside: KERNEL is a debugger)
 *	parent=PID				(of the outside: it does not outlive that)
 *	name=NAME				of the machine
 *	module=FILE				netnice.ko
 *	modules=FOLDER,RELEASE			where modprobe finds the kernel's own
 * Whatever fails is said, and the rest done. No program of the machine is used, as it may be of
 * any kind.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <net/route.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "here.h"

static void check(int result, const char *what)
{
	if (result)
		say("%s: %s", what, strerror(errno));
}

static void put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	check(fd < 0 || !put(fd, text, strlen(text)), path);
	if (fd >= 0)
		close(fd);
}

static void mount_new(const char *type, const char *where, unsigned long flags, const char *data)
{
	check(mount(type, where, type, flags, data), where);
}

/* /proc is the one folder that each machine has, and that has nothing which is wanted. */
void set_up_root(void)
{
	mount_new("tmpfs", "/proc", 0, "mode=755");
	if (mkdir("/proc/upper", 0755) || mkdir("/proc/work", 0755) || mkdir("/proc/root", 0755) ||
	    mount("overlay", "/proc/root", "overlay", 0,
		  "lowerdir=/,upperdir=/proc/upper,workdir=/proc/work") ||
	    chdir("/proc/root") || syscall(SYS_pivot_root, ".", "proc") || chroot("."))
		die("a memory over the root");
	check(umount2("/proc", MNT_DETACH), "the machine's root");
	mount_new("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	mount_new("sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	mount_new("devtmpfs", "/dev", MS_NOSUID, "mode=755");
	check(mkdir("/dev/pts", 0755) || mkdir("/dev/shm", 01777), "/dev");
	mount_new("devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC, "mode=620,ptmxmode=666");
	mount_new("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, NULL);
	check(symlink("/proc/self/fd", "/dev/fd") || symlink("fd/0", "/dev/stdin") ||
	      symlink("fd/1", "/dev/stdout") || symlink("fd/2", "/dev/stderr"), "/dev");
}

/* --- network -------------------------------------------------------------------------- */

static struct sockaddr inet_address(in_addr_t address)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in;
	} a = { .in = { .sin_family = AF_INET, .sin_addr.s_addr = address } };

	return a.any;
}

static void device_up(int fd, const char *name)
{
	struct ifreq r = { .ifr_flags = IFF_UP | IFF_RUNNING };

	strncpy(r.ifr_name, name, sizeof(r.ifr_name) - 1);
	check(ioctl(fd, SIOCSIFFLAGS, &r), name);
}

static void nameserver_set(const char *address)
{
	char text[60];

	/* often a link into what some daemon keeps */
	unlink("/etc/resolv.conf");
	snprintf(text, sizeof(text), "nameserver %s\n", address);
	put_file("/etc/resolv.conf", text);
}

static void net_set(int fd, const char *text)
{
	char address[16] = "", gateway[16] = "", nameserver[16] = "";
	struct ifreq r = { .ifr_name = "vec0" };
	struct rtentry route = {
		.rt_flags = RTF_UP | RTF_GATEWAY, .rt_dst.sa_family = AF_INET, .rt_genmask.sa_family = AF_INET,
	};
	static unsigned int n;
	unsigned int bits;

	if (sscanf(text, "%15[0-9.]/%u,%15[0-9.],%15[0-9.]", address, &bits, gateway, nameserver) < 2)
		return;
	/* another address takes a label of its own */
	if (n++)
		snprintf(r.ifr_name, sizeof(r.ifr_name), "vec0:%u", n);
	r.ifr_addr = inet_address(inet_addr(address));
	check(ioctl(fd, SIOCSIFADDR, &r), address);
	r.ifr_netmask = inet_address(htonl(bits ? ~0U << (32 - bits) : 0));
	check(ioctl(fd, SIOCSIFNETMASK, &r), "its netmask");
	device_up(fd, "vec0");
	if (!*gateway)
		return;
	route.rt_gateway = inet_address(inet_addr(gateway));
	check(ioctl(fd, SIOCADDRT, &route), gateway);
	nameserver_set(nameserver);
}

static void net6_set(const char *text)
{
	struct in6_ifreq r = { .ifr6_ifindex = if_nametoindex("vec0") };
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char address[INET6_ADDRSTRLEN];

	/* the address is unique */
	put_file("/proc/sys/net/ipv6/conf/vec0/accept_dad", "0");
	if (sscanf(text, "%45[0-9a-f:]/%u", address, &r.ifr6_prefixlen) == 2 &&
	    inet_pton(AF_INET6, address, &r.ifr6_addr) == 1)
		check(ioctl(fd, SIOCSIFADDR, &r), address);
	close(fd);
}

static void route_set(int fd, const char *device)
{
	struct rtentry route = {
		.rt_flags = RTF_UP, .rt_dst.sa_family = AF_INET, .rt_genmask.sa_family = AF_INET,
		.rt_dev = (char *)device,
	};
	struct in6_rtmsg route6 = {
		.rtmsg_flags = RTF_UP, .rtmsg_metric = 1, .rtmsg_ifindex = if_nametoindex(device),
	};
	int fd6 = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	device_up(fd, device);
	check(ioctl(fd, SIOCADDRT, &route), "a route of IPv4");
	check(ioctl(fd6, SIOCADDRT, &route6), "a route of IPv6");
	close(fd6);
}

static void ports_set(const char *text)
{
	unsigned int first, last;
	char range[30];

	put_file("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
	if (sscanf(text, "%u-%u", &first, &last) != 2)
		return;
	snprintf(range, sizeof(range), "%u %u", first, last);
	put_file("/proc/sys/net/ipv4/ip_local_port_range", range);
}

/* --- module ------------------------------------------------------------------------- */

static void modules_set(const char *text)
{
	char folder[PATH_MAX], release[100], link[200];

	if (sscanf(text, "%4095[^,],%99s", folder, release) != 2)
		return;
	mkdir("/lib/modules", 0755);
	snprintf(link, sizeof(link), "/lib/modules/%s", release);
	check(symlink(folder, link), link);
}

static void module_set(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		say("this kernel does not take the module: %s", strerror(errno));
	else
		mount_new("netnice", "/proc/network", 0, NULL);
	if (fd >= 0)
		close(fd);
}

void set_up(char **settings)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	device_up(fd, "lo");
	put_file("/proc/sys/net/ipv4/ping_group_range", "0 2147483647");
	for (; *settings; settings++) {
		const char *value = strchr(*settings, '=');

		if (!value++)
			continue;
		if (!strncmp(*settings, "net=", 4))
			net_set(fd, value);
		else if (!strncmp(*settings, "net6=", 5))
			net6_set(value);
		else if (!strncmp(*settings, "route=", 6))
			route_set(fd, value);
		else if (!strncmp(*settings, "ports=", 6))
			ports_set(value);
		else if (!strncmp(*settings, "rw=", 3))
			check(mount("host", value, "hostfs", MS_NOSUID | MS_NODEV, value), value);
		else if (!strncmp(*settings, "name=", 5))
			check(sethostname(value, strlen(value)), value);
		else if (!strncmp(*settings, "module=", 7))
			module_set(value);
		else if (!strncmp(*settings, "modules=", 8))
			modules_set(value);
	}
	close(fd);
}
