// SPDX-License-Identifier: GPL-2.0
/*
 * Find the file system of the caller's namespaces.
 *
 * A mount shows the VIFs of one network namespace with the process numbers of one PID namespace. If
 * a mount of the caller's namespaces is on /proc/network, it is used. If nothing is mounted there,
 * the file system is mounted there. A mount of other namespaces is left alone: then a detached
 * mount is used, which ends with this process.
 */
#include "nnfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/netnice.h>
#include <linux/nsfs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MOUNT_COMMAND	"mount -t " NETNICE_FS_NAME " " NETNICE_FS_NAME " " \
			NETNICE_MOUNT_POINT

enum mount_point {
	MP_ABSENT,		/* the module makes the directory */
	MP_FREE,		/* the directory is there, nothing on it */
	MP_OURS,
	MP_FOREIGN,		/* netnice, of other namespaces */
	MP_TAKEN,		/* another file system */
};

/* The network namespace in one line of mountinfo; 0 if it names none. */
static unsigned long long netns_of_line(const char *line)
{
	const char *options = strstr(line, " - ");
	const char *netns = options ? strstr(options, "netns=") : NULL;

	return netns ? strtoull(netns + strlen("netns="), NULL, 10) : 0;
}

static unsigned long long netns_of_mount(unsigned long long mnt_id)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	unsigned long long netns = 0;
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return 0;
	while (getline(&line, &size, f) > 0) {
		if (strtoull(line, NULL, 10) != mnt_id)
			continue;
		netns = netns_of_line(line);
		break;
	}
	free(line);
	fclose(f);
	return netns;
}

static bool is_our_netns(int fd)
{
	unsigned long long netns;
	struct statx mount;
	struct stat ours;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &mount) ||
	    stat("/proc/self/ns/net", &ours))
		return true;
	netns = netns_of_mount(mount.stx_mnt_id);
	return !netns || netns == ours.st_ino;
}

/* In another PID namespace we have another number, and so has everyone. */
static bool is_our_pidns(int fd)
{
	char self[16];
	ssize_t len = readlinkat(fd, "tasks/self", self, sizeof(self) - 1);

	if (len < 0)
		return true;
	self[len] = '\0';
	return atoi(self) == getpid();
}

static enum mount_point classify(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return MP_TAKEN;
	if (fs.f_type == PROC_SUPER_MAGIC)
		return MP_FREE;
	if (fs.f_type != NETNICE_FS_MAGIC)
		return MP_TAKEN;
	return is_our_netns(fd) && is_our_pidns(fd) ? MP_OURS : MP_FOREIGN;
}

/* Open an existing mount; *@fd is a descriptor only for MP_OURS. */
static enum mount_point look(int *fd)
{
	enum mount_point found;

	*fd = open(NETNICE_MOUNT_POINT, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		return MP_ABSENT;
	found = classify(*fd);
	if (found != MP_OURS) {
		close(*fd);
		*fd = -1;
	}
	return found;
}

static bool is_in_inits_ns(const char *ns)
{
	struct stat ours, inits;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/ns/%s", ns);
	if (stat(path, &ours))
		return true;
	snprintf(path, sizeof(path), "/proc/1/ns/%s", ns);
	return !stat(path, &inits) && inits.st_ino == ours.st_ino;
}

/*
 * A mount is visible in the whole mount namespace. The machine's mount must not show the devices of
 * the first caller's private network namespace.
 */
static bool may_mount_for_all(void)
{
	return is_in_inits_ns("net") || !is_in_inits_ns("mnt");
}

/*
 * This uses mount(2), not move_mount(2): mount(2) refuses to mount the same file system twice at
 * the same place. So if two tools start at once, only one mounts it.
 */
static void mount_for_all(void)
{
	mount(NETNICE_FS_NAME, NETNICE_MOUNT_POINT, NETNICE_FS_NAME,
	      MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static int mount_detached(int ctx)
{
	if (fsconfig(ctx, FSCONFIG_SET_STRING, "source", NETNICE_FS_NAME, 0) ||
	    fsconfig(ctx, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -1;
	return fsmount(ctx, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID |
		       MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

/*
 * The kernel looks for a module when an unknown network device is named, but only for
 * CAP_NET_ADMIN over the machine. It runs modprobe(8) in the machine's namespaces, not in ours.
 */
void nnfs_load(void)
{
	struct ifreq request = { .ifr_name = NETNICE_FS_NAME };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	ioctl(fd, SIOCGIFFLAGS, &request);
	close(fd);
}

static int open_context(void)
{
	int ctx = fsopen(NETNICE_FS_NAME, FSOPEN_CLOEXEC);

	if (ctx >= 0 || errno != ENODEV)
		return ctx;
	nnfs_load();
	return fsopen(NETNICE_FS_NAME, FSOPEN_CLOEXEC);
}

/* Does our network namespace belong to another user namespace than the machine's? */
static bool is_strangers(void)
{
	/* the number is the same on all machines */
	const ino_t initial = 0xeffffffd;
	int net = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int owner = net < 0 ? -1 : ioctl(net, NS_GET_USERNS);
	struct stat user;
	bool is = owner >= 0 && !fstat(owner, &user) && user.st_ino != initial;

	if (owner >= 0)
		close(owner);
	if (net >= 0)
		close(net);
	return is;
}

/* Whether the kernel knows the file system already. */
static bool is_registered(void)
{
	FILE *f = fopen("/proc/filesystems", "re");
	bool registered = false;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strcmp(line, "nodev\t" NETNICE_FS_NAME "\n"))
			registered = true;
	if (f)
		fclose(f);
	return registered;
}

static void explain(enum mount_point found, int err, char why[NNFS_SENTENCE_MAX])
{
	if (err == ENODEV)
		snprintf(why, NNFS_SENTENCE_MAX,
			 "the netnice module is not loaded, and loading it failed (is it installed? \"modprobe netnice\" says more)");
	else if (err != EPERM && err != EACCES)
		snprintf(why, NNFS_SENTENCE_MAX, "cannot mount %s: %s", NETNICE_FS_NAME,
			 strerror(err));
	else if (!is_registered() && !geteuid())
		snprintf(why, NNFS_SENTENCE_MAX,
			 "the netnice module is not loaded, and this root may not load it, as in a container: run \"modprobe netnice\" on the host");
	else if (!is_registered())
		snprintf(why, NNFS_SENTENCE_MAX, "%s: as root, run \"modprobe netnice\", then \"%s\"",
			 "the netnice module is not loaded", MOUNT_COMMAND);
	else if (is_strangers())
		snprintf(why, NNFS_SENTENCE_MAX,
			 "the network namespace belongs to a user namespace: that has VIFs of its own only if the machine's administrator allows it (parameter user_namespaces of the module netnice)");
	else if (!geteuid())
		snprintf(why, NNFS_SENTENCE_MAX,
			 "%s is not mounted, and this root may not mount it, as in a container: limit the container from the host (vifctl -n /proc/PID/ns/net; containers.rst), or give it CAP_SYS_ADMIN",
			 NETNICE_MOUNT_POINT);
	else if (found == MP_FOREIGN)
		snprintf(why, NNFS_SENTENCE_MAX, "%s shows another network or PID namespace: %s \"%s\"",
			 NETNICE_MOUNT_POINT,
			 "as root of this one, in a mount namespace of its own, run",
			 MOUNT_COMMAND);
	else if (found == MP_TAKEN)
		snprintf(why, NNFS_SENTENCE_MAX,
			 "%s has another file system on it: as root, unmount that and run \"%s\"",
			 NETNICE_MOUNT_POINT, MOUNT_COMMAND);
	else
		snprintf(why, NNFS_SENTENCE_MAX, "%s is not mounted: as root, run \"%s\"",
			 NETNICE_MOUNT_POINT, MOUNT_COMMAND);
}

int nnfs_mount(char why[NNFS_SENTENCE_MAX])
{
	enum mount_point found;
	int fd, ctx, err;

	if (look(&fd) == MP_OURS)
		return fd;

	/* This loads the module, which makes the mount point. */
	ctx = open_context();
	err = errno;
	found = look(&fd);
	if (ctx >= 0 && found == MP_FREE && may_mount_for_all()) {
		mount_for_all();
		found = look(&fd);
	}
	if (found != MP_OURS && ctx >= 0) {
		fd = mount_detached(ctx);
		err = errno;
	}
	if (fd < 0)
		explain(found, err, why);
	if (ctx >= 0)
		close(ctx);
	errno = err;
	return fd;
}
