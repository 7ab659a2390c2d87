// SPDX-License-Identifier: GPL-2.0
/* the operations of fsfuzz; each returns whether it has succeeded */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fsfuzz.h"

#define BUFFER 65536

#ifndef AT_HANDLE_FID
#define AT_HANDLE_FID 0x200
#endif

static __thread char buffer[BUFFER];

static int slot(struct worker *w)
{
	return w->fd[below(w, SLOTS)];
}

/* one that can be written to, mostly */
static int writable_slot(struct worker *w)
{
	int fd = slot(w);

	for (unsigned int i = 0; i < 8 && (fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH)) != O_RDWR; i++)
		fd = slot(w);
	return fd;
}

/* Return: it is a descriptor of ours */
static bool keep(struct worker *w, int fd)
{
	struct statfs about;
	int old;

	if (fd < 0)
		return false;
	if (fstatfs(fd, &about) || about.f_type != shared->fs_type) {
		close(fd);
		return false;
	}
	old = atomic_exchange(&w->fd[below(w, SLOTS)], fd);
	if (old >= 0)
		close(old);
	return true;
}

static off_t any_offset(struct worker *w)
{
	static const off_t offsets[] = { 0, 0, 0, 1, 2, 3, 17, 255, 4095, 4096, 1 << 20, (1 << 20) + 1,
		INT32_MAX, 1LL << 32, 1LL << 60, INT64_MAX, -1 };

	return ONE_OF(w, offsets);
}

static size_t any_size(struct worker *w)
{
	static const size_t sizes[] = { 0, 1, 2, 7, 64, 256, 4095, 4096, BUFFER };

	return ONE_OF(w, sizes);
}

/* --- directories and names --------------------------------------------------------- */

static bool do_mkdir(struct worker *w)
{
	static const mode_t modes[] = { 0755, 0755, 0700, 0777, 01777, 0 };
	struct place place = { AT_FDCWD, "" };

	if (once_in(w, 4))
		any_place(w, &place);
	else
		vif_path(w, place.path);
	return !mkdirat(place.dir, place.path, ONE_OF(w, modes));
}

static bool do_rmdir(struct worker *w)
{
	struct place place = { AT_FDCWD, "" };

	if (once_in(w, 4))
		any_place(w, &place);
	else
		vif_path(w, place.path);
	return !unlinkat(place.dir, place.path, AT_REMOVEDIR);
}

static bool do_rename(struct worker *w)
{
	static const unsigned int flags[] = { 0, 0, 0, RENAME_NOREPLACE, RENAME_EXCHANGE,
		RENAME_WHITEOUT, RENAME_NOREPLACE | RENAME_EXCHANGE, ~0u };
	struct place from, to;

	any_place(w, &from);
	any_place(w, &to);
	return !renameat2(from.dir, from.path, to.dir, to.path, ONE_OF(w, flags));
}

/* as ln -sfn does it */
static bool do_replace(struct worker *w)
{
	char target[PATH_SIZE], path[PATH_SIZE], temporary[PATH_SIZE + 16];

	vif_path(w, target);
	target_path(w, path);
	sprintf(temporary, "%s/CuAbCd%u", path, w->nr);
	strcat(path, "/");
	strcat(path, device_name(w));
	return !symlink(target, temporary) && !rename(temporary, path);
}

static bool do_symlink(struct worker *w)
{
	char target[PATH_SIZE], name[NAME_SIZE];
	struct place place = { AT_FDCWD, "" };

	if (once_in(w, 4)) {
		any_place(w, &place);
	} else {
		target_path(w, place.path);
		any_name(w, name);
		strcat(strcat(place.path, "/"), once_in(w, 2) ? name : device_name(w));
	}
	if (once_in(w, 8))
		any_name(w, target);
	else
		vif_path(w, target);
	return !symlinkat(target, place.dir, place.path);
}

/* where a link may be, mostly */
static void link_place(struct worker *w, struct place *place)
{
	if (once_in(w, 4)) {
		any_place(w, place);
	} else {
		target_path(w, place->path);
		strcat(strcat(place->path, "/"), device_name(w));
	}
}

static bool do_readlink(struct worker *w)
{
	struct place place = { AT_FDCWD, "" };

	link_place(w, &place);
	return readlinkat(place.dir, place.path, buffer, 1 + below(w, 300)) > 0;
}

static bool do_unlink(struct worker *w)
{
	struct place place = { AT_FDCWD, "" };

	link_place(w, &place);
	return !unlinkat(place.dir, place.path, 0);
}

static bool do_link(struct worker *w)
{
	struct place from, to;

	any_place(w, &from);
	any_place(w, &to);
	return !linkat(from.dir, from.path, to.dir, to.path, once_in(w, 2) ? AT_SYMLINK_FOLLOW : 0);
}

static bool do_mknod(struct worker *w)
{
	static const mode_t types[] = { S_IFREG, S_IFIFO, S_IFSOCK, S_IFCHR, S_IFBLK };
	struct place place;

	any_place(w, &place);
	return !mknodat(place.dir, place.path, ONE_OF(w, types) | 0666, 0);
}

static bool do_getdents(struct worker *w)
{
	static const size_t sizes[] = { 1, 24, 32, 48, 64, 100, 300, 4096, BUFFER };
	int fd = slot(w);

	if (once_in(w, 4))
		lseek(fd, once_in(w, 3) ? any_offset(w) : (off_t)below(w, 40), SEEK_SET);
	return syscall(SYS_getdents64, fd, buffer, ONE_OF(w, sizes)) > 0;
}

/* to places that were told, as seekdir(3) does it; some are gone meanwhile */
static bool do_seekdir(struct worker *w)
{
	struct dirent64 *entry = (struct dirent64 *)buffer;
	int fd = slot(w), size;
	off_t told[16];
	unsigned int n = 0;

	lseek(fd, 0, SEEK_SET);
	size = syscall(SYS_getdents64, fd, buffer, BUFFER);
	for (int at = 0; at < size && n < 16; at += entry->d_reclen) {
		entry = (struct dirent64 *)(buffer + at);
		told[n++] = entry->d_off;
	}
	if (!n || lseek(fd, told[below(w, n)], SEEK_SET) < 0)
		return false;
	return syscall(SYS_getdents64, fd, buffer, BUFFER) >= 0;
}

/* A directory that has been removed, with a process in it: nothing works there. */
static bool do_gone(struct worker *w)
{
	char path[PATH_SIZE];
	int fd, file;

	sprintf(path, "%s/gone%u", w->own.path, w->nr);
	if (mkdir(path, 0755))
		return false;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || rmdir(path)) {
		close(fd);
		return false;
	}
	if (!mkdirat(fd, "a", 0755))
		fault(w, "a directory was made in one that had been removed");
	file = openat(fd, "bandwidth", O_RDWR | O_CLOEXEC);
	if (file >= 0) {
		fault(w, "a file was opened in a directory that had been removed");
		close(file);
	}
	if (!symlinkat(TOP "/eth0", fd, "x") || !unlinkat(fd, "bandwidth", 0) ||
	    !renameat(fd, "a", fd, "b") || syscall(SYS_getdents64, fd, buffer, BUFFER) > 0)
		fault(w, "something was done in a directory that had been removed");
	return keep(w, fd);
}

/* --- descriptors ------------------------------------------------------------------ */

static int any_flags(struct worker *w)
{
	static const int access[] = { O_RDONLY, O_RDONLY, O_RDWR, O_WRONLY };
	static const int more[] = { 0, 0, 0, O_CREAT, O_CREAT | O_EXCL, O_DIRECTORY, O_TRUNC, O_APPEND,
		O_PATH, O_TMPFILE, O_NOFOLLOW, O_NOFOLLOW | O_PATH, O_DIRECT, O_SYNC, O_NOATIME };

	return O_CLOEXEC | ONE_OF(w, access) | ONE_OF(w, more) | ONE_OF(w, more) |
	       (once_in(w, 8) ? 0 : O_NONBLOCK);
}

static bool do_open(struct worker *w)
{
	struct place place;

	any_place(w, &place);
	return keep(w, openat(place.dir, place.path, any_flags(w), 0666));
}

/* what can be opened, at most times */
static bool do_open_file(struct worker *w)
{
	char path[PATH_SIZE];

	file_path(w, path);
	return keep(w, open(path, O_CLOEXEC | O_NONBLOCK | (once_in(w, 2) ? O_RDWR : O_RDONLY)));
}

static bool do_open_dir(struct worker *w)
{
	char path[PATH_SIZE];

	(once_in(w, 2) ? vif_path : target_path)(w, path);
	return keep(w, open(path, O_CLOEXEC | O_DIRECTORY));
}

/* /proc/self/fd: the file without its name */
static bool do_reopen(struct worker *w)
{
	char path[32];

	sprintf(path, "/proc/self/fd/%d", slot(w));
	return keep(w, open(path, any_flags(w)));
}

static bool do_close(struct worker *w)
{
	int fd = atomic_exchange(&w->fd[below(w, SLOTS)], -1);

	return fd >= 0 && !close(fd);
}

static bool do_dup(struct worker *w)
{
	return keep(w, fcntl(slot(w), F_DUPFD_CLOEXEC, 3));
}

static bool do_read(struct worker *w)
{
	return read(slot(w), buffer, any_size(w)) > 0;
}

static bool do_pread(struct worker *w)
{
	return pread(slot(w), buffer, any_size(w), any_offset(w)) > 0;
}

static bool do_readv(struct worker *w)
{
	struct iovec parts[3];

	for (unsigned int i = 0; i < 3; i++)
		parts[i] = (struct iovec) { buffer + i * 8192, any_size(w) % 8192 };
	return preadv2(slot(w), parts, 3, once_in(w, 2) ? -1 : any_offset(w),
		       once_in(w, 4) ? RWF_NOWAIT : 0) > 0;
}

static bool do_write(struct worker *w)
{
	size_t size = any_value(w, buffer, BUFFER);

	return write(writable_slot(w), buffer, size) > 0;
}

static bool do_pwrite(struct worker *w)
{
	size_t size = any_value(w, buffer, BUFFER);

	return pwrite(writable_slot(w), buffer, size, once_in(w, 2) ? 0 : any_offset(w)) > 0;
}

static bool do_writev(struct worker *w)
{
	struct iovec parts[3];

	for (unsigned int i = 0; i < 3; i++) {
		parts[i].iov_base = buffer + i * 8192;
		parts[i].iov_len = any_value(w, parts[i].iov_base, 8192);
	}
	return writev(writable_slot(w), parts, 3) > 0;
}

static bool do_bad_address(struct worker *w)
{
	return syscall(once_in(w, 2) ? SYS_write : SYS_read, slot(w), 8, 16) > 0;
}

static bool do_lseek(struct worker *w)
{
	static const int whence[] = { SEEK_SET, SEEK_CUR, SEEK_END, SEEK_DATA, SEEK_HOLE, 99 };

	return lseek(slot(w), any_offset(w), ONE_OF(w, whence)) >= 0;
}

static bool do_truncate(struct worker *w)
{
	char path[PATH_SIZE];

	if (once_in(w, 2))
		return !ftruncate(slot(w), any_offset(w));
	file_path(w, path);
	return !truncate(path, any_offset(w));
}

static bool do_allocate(struct worker *w)
{
	return !fallocate(slot(w), below(w, 4), 0, 4096);
}

static bool do_sync(struct worker *w)
{
	return once_in(w, 2) ? !syncfs(slot(w)) : !fsync(slot(w));
}

static bool do_mmap(struct worker *w)
{
	void *memory = mmap(NULL, 4096, once_in(w, 2) ? PROT_READ : PROT_READ | PROT_WRITE,
			    once_in(w, 2) ? MAP_SHARED : MAP_PRIVATE, slot(w), 0);

	if (memory == MAP_FAILED)
		return false;
	munmap(memory, 4096);
	return true;
}

static bool do_ioctl(struct worker *w)
{
	static const unsigned long requests[] = { FIONREAD, FIGETBSZ, FIBMAP, FS_IOC_GETFLAGS,
		FS_IOC_FIEMAP, FIFREEZE, FITHAW, FICLONE, 0x5401, 0x8901, ~0ul };
	unsigned long request = ONE_OF(w, requests);

	/* a file system that is frozen stops everybody */
	if (request == FIFREEZE) {
		if (ioctl(slot(w), request, 0))
			return false;
		fault(w, "the file system can be frozen");
		request = FITHAW;
	}
	memset(buffer, 0, 256);
	return !ioctl(slot(w), request, buffer);
}

static bool do_lock(struct worker *w)
{
	struct flock lock = {
		.l_type = once_in(w, 3) ? F_UNLCK : once_in(w, 2) ? F_RDLCK : F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = below(w, 8),
		.l_len = below(w, 8),
	};

	switch (below(w, 3)) {
	case 0:
		return !flock(slot(w), (once_in(w, 3) ? LOCK_UN : once_in(w, 2) ? LOCK_SH : LOCK_EX) |
				       LOCK_NB);
	case 1:
		return !fcntl(slot(w), F_SETLK, &lock);
	default:
		return !fcntl(slot(w), F_OFD_SETLK, &lock);
	}
}

static bool do_fcntl(struct worker *w)
{
	static const int commands[] = { F_SETLEASE, F_SETLEASE, F_GETLEASE, F_NOTIFY, F_SETFL, F_SETOWN,
		F_SETPIPE_SZ, F_ADD_SEALS, F_GET_RW_HINT };
	static const int arguments[] = { F_RDLCK, F_WRLCK, F_UNLCK, O_NONBLOCK, O_APPEND | O_NONBLOCK,
		O_DIRECT | O_NONBLOCK, O_ASYNC | O_NONBLOCK, DN_CREATE | DN_DELETE };
	int command = ONE_OF(w, commands), argument = ONE_OF(w, arguments);

	switch (command) {
	case F_GET_RW_HINT:
		return !fcntl(slot(w), command, buffer);
	case F_SETOWN:
		argument = getpid();
		break;
	case F_SETFL:
		/* threads may have closed it, and opened what would block */
		argument |= O_NONBLOCK;
	}
	return fcntl(slot(w), command, argument) >= 0;
}

static bool do_poll(struct worker *w)
{
	struct pollfd wait = { slot(w), POLLIN | POLLOUT | POLLPRI, 0 };

	return poll(&wait, 1, 0) > 0 && !(wait.revents & POLLNVAL);
}

static bool do_epoll(struct worker *w)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	if (w->epoll < 0)
		w->epoll = epoll_create1(EPOLL_CLOEXEC);
	epoll_wait(w->epoll, (struct epoll_event *)buffer, 16, 0);
	return !epoll_ctl(w->epoll, once_in(w, 3) ? EPOLL_CTL_DEL : EPOLL_CTL_ADD, slot(w), &event);
}

static bool do_splice(struct worker *w)
{
	size_t size = 1 + below(w, 8192);

	if (w->pipe[0] < 0 && pipe2(w->pipe, O_NONBLOCK | O_CLOEXEC))
		return false;
	switch (below(w, 5)) {
	case 0:
		return splice(slot(w), NULL, w->pipe[1], NULL, size, SPLICE_F_NONBLOCK) > 0;
	case 1:
		if (write(w->pipe[1], buffer, any_value(w, buffer, 4096)) < 0)
			return false;
		return splice(w->pipe[0], NULL, slot(w), NULL, size, SPLICE_F_NONBLOCK) > 0;
	case 2:
		return sendfile(w->pipe[1], slot(w), NULL, size) > 0;
	case 3:
		return copy_file_range(slot(w), NULL, slot(w), NULL, size, 0) > 0;
	default:
		return read(w->pipe[0], buffer, BUFFER) > 0;
	}
}

/* --- what is known of them ---------------------------------------------------------- */

static bool do_stat(struct worker *w)
{
	struct statx statx_;
	struct statfs statfs_;
	struct place place;
	struct stat stat_;

	switch (below(w, 5)) {
	case 0:
		return !fstat(slot(w), &stat_);
	case 1:
		return !fstatfs(slot(w), &statfs_);
	case 2:
		any_place(w, &place);
		return !statfs(place.path, &statfs_);
	case 3:
		any_place(w, &place);
		return !fstatat(place.dir, place.path, &stat_,
				once_in(w, 2) ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH);
	default:
		any_place(w, &place);
		return !statx(place.dir, place.path, once_in(w, 2) ? AT_EMPTY_PATH : AT_STATX_FORCE_SYNC,
			      once_in(w, 2) ? STATX_ALL : below(w, 1 << 16), &statx_);
	}
}

static bool do_access(struct worker *w)
{
	struct place place;

	any_place(w, &place);
	return !faccessat(place.dir, place.path, below(w, 8), once_in(w, 2) ? AT_EACCESS : 0);
}

static bool do_chmod(struct worker *w)
{
	struct place place = { AT_FDCWD, "" };
	mode_t mode = once_in(w, 4) ? below(w, 010000) : 0755;

	if (once_in(w, 4))
		return !fchmod(slot(w), mode);
	if (once_in(w, 3))
		any_place(w, &place);
	else
		vif_path(w, place.path);
	return !fchmodat(place.dir, place.path, mode, 0);
}

static bool do_chown(struct worker *w)
{
	static const int ids[] = { -1, 0, USER, USER, 65534, 70000 };
	struct place place = { AT_FDCWD, "" };

	if (once_in(w, 4))
		return !fchown(slot(w), ONE_OF(w, ids), ONE_OF(w, ids));
	if (once_in(w, 3))
		any_place(w, &place);
	else
		vif_path(w, place.path);
	return !fchownat(place.dir, place.path, ONE_OF(w, ids), ONE_OF(w, ids),
			 once_in(w, 2) ? AT_SYMLINK_NOFOLLOW : 0);
}

static bool do_utimens(struct worker *w)
{
	const struct timespec times[2] = { { below(w, 1u << 31), 0 }, { 0, once_in(w, 2) ? UTIME_NOW : UTIME_OMIT } };
	struct place place;

	if (once_in(w, 4))
		return !futimens(slot(w), times);
	any_place(w, &place);
	return !utimensat(place.dir, place.path, times, once_in(w, 2) ? AT_SYMLINK_NOFOLLOW : 0);
}

static bool do_xattr(struct worker *w)
{
	static const char *const names[] = { "user.x", "security.x", "security.selinux",
		"security.capability", "trusted.x", "system.posix_acl_access", "system.posix_acl_default",
		"system.x", "x", "user.", "" };
	const char *name = ONE_OF(w, names);
	struct place place;

	any_place(w, &place);
	switch (below(w, 6)) {
	case 0:
		return getxattr(place.path, name, buffer, any_size(w)) >= 0;
	case 1:
		return fgetxattr(slot(w), name, buffer, any_size(w)) >= 0;
	case 2:
		return listxattr(place.path, buffer, any_size(w)) >= 0;
	case 3:
		return !lremovexattr(place.path, name);
	case 4:
		return !fsetxattr(slot(w), name, buffer, any_size(w), below(w, 3));
	default:
		return !lsetxattr(place.path, name, buffer, any_size(w), below(w, 3));
	}
}

static bool do_handle(struct worker *w)
{
	struct file_handle *handle = (struct file_handle *)buffer;
	static const int flags[] = { 0, AT_EMPTY_PATH, AT_HANDLE_FID, AT_HANDLE_FID | AT_EMPTY_PATH };
	struct place place;
	int mount_id;

	any_place(w, &place);
	handle->handle_bytes = once_in(w, 4) ? below(w, 16) : MAX_HANDLE_SZ;
	if (name_to_handle_at(place.dir, place.path, handle, &mount_id, ONE_OF(w, flags))) {
		handle->handle_bytes = 8 + below(w, 8);
		handle->handle_type = below(w, 256);
	}
	return keep(w, open_by_handle_at(slot(w), handle, O_CLOEXEC | O_NONBLOCK));
}

/* --- who watches ---------------------------------------------------------------------- */

static bool do_inotify(struct worker *w)
{
	struct place place;

	if (w->inotify < 0)
		w->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (once_in(w, 4))
		return read(w->inotify, buffer, BUFFER) > 0;
	if (once_in(w, 3))
		return !inotify_rm_watch(w->inotify, 1 + below(w, 64));
	any_place(w, &place);
	return inotify_add_watch(w->inotify, place.path, IN_ALL_EVENTS) >= 0;
}

static bool fanotify_events(int fd)
{
	const struct fanotify_event_metadata *event = (void *)buffer;
	ssize_t left = read(fd, buffer, 1024);

	if (left <= 0)
		return false;
	for (; FAN_EVENT_OK(event, left); event = FAN_EVENT_NEXT(event, left))
		if (event->fd >= 0)
			close(event->fd);
	return true;
}

static bool do_fanotify(struct worker *w)
{
	static const unsigned int scopes[] = { FAN_MARK_INODE, FAN_MARK_INODE, FAN_MARK_MOUNT, FAN_MARK_FILESYSTEM };
	uint64_t mask = FAN_OPEN | FAN_ACCESS | FAN_MODIFY | FAN_CLOSE | FAN_ONDIR | FAN_EVENT_ON_CHILD;
	unsigned int scope = ONE_OF(w, scopes);
	struct place place;

	if (w->fanotify < 0)
		w->fanotify = fanotify_init(FAN_CLASS_NOTIF | FAN_NONBLOCK | FAN_CLOEXEC,
					    O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (w->fanotify < 0 && errno == ENOSYS)
		shared->lacks_fanotify = true;
	if (once_in(w, 2))
		return fanotify_events(w->fanotify);
	if (scope == FAN_MARK_MOUNT)
		mask &= ~FAN_EVENT_ON_CHILD;
	if (once_in(w, 3))
		return !fanotify_mark(w->fanotify, FAN_MARK_FLUSH | scope, 0, AT_FDCWD, NULL);
	any_place(w, &place);
	return !fanotify_mark(w->fanotify, FAN_MARK_ADD | scope, mask, place.dir, place.path);
}

/* --- what belongs together --------------------------------------------------------------- */

static bool write_file(const char *path, const char *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, text, size) == (ssize_t)size;
	close(fd);
	return done;
}

static bool do_set(struct worker *w)
{
	const struct setting *setting = &ONE_OF(w, settings);
	char path[PATH_SIZE], text[64];
	size_t size;

	vif_path(w, path);
	strcat(strcat(path, "/"), setting->file);
	size = sprintf(text, setting->written, setting->min + below(w, setting->max - setting->min + 1));
	return write_file(path, text, size);
}

/* The writer itself at times; a worker that is limited goes on, it sends nothing. */
static bool do_attach(struct worker *w)
{
	const struct victim *victim = &shared->victim[below(w, VICTIMS)];
	char path[PATH_SIZE], text[64];
	size_t size;

	vif_path(w, path);
	strcat(path, "/tasks");
	if (once_in(w, 3))
		size = sprintf(text, "%d/%d", victim->pid, victim->tid);
	else
		size = sprintf(text, "%d", once_in(w, 8) ? 0 : victim->pid);
	return write_file(path, text, size);
}

static bool do_autoremove(struct worker *w)
{
	char path[PATH_SIZE];

	vif_path(w, path);
	strcat(path, "/autoremove");
	return write_file(path, once_in(w, 3) ? "0" : "1", 1);
}

/* Lines, and nothing that a terminal would obey; the kernel takes the rest for Latin-1. */
static bool do_last_error(struct worker *w)
{
	int fd = open(TOP "/last_error", O_RDONLY | O_CLOEXEC);
	ssize_t size = read(fd, buffer, BUFFER);

	close(fd);
	for (ssize_t i = 0; i < size; i++) {
		unsigned char c = buffer[i];

		if (i < size - 1 ? (c < ' ' && c != '\n') || (c >= 0x7f && c < 0xa0) : c != '\n') {
			fault(w, "last_error: byte %zd of %zd is %d", i, size, c);
			break;
		}
	}
	return size > 0;
}

/* What is refused is explained, and that is the one that came last. */
static bool do_explained(struct worker *w)
{
	char path[PATH_SIZE], word[16];
	int fd;
	ssize_t size;

	if (!w->alone)
		return false;
	sprintf(path, "%s/weight", w->own.path);
	sprintf(word, "no%u", below(w, 10000));
	if (write_file(path, word, strlen(word)))
		fault(w, "weight has taken %s", word);
	if (errno != EINVAL)
		return false;
	fd = open(TOP "/last_error", O_RDONLY | O_CLOEXEC);
	size = read(fd, buffer, BUFFER - 1);
	close(fd);
	buffer[size > 0 ? size : 0] = '\0';
	if (!strstr(buffer, word))
		fault(w, "last_error does not say what was wrong with %s: %s", word, buffer);
	return true;
}

/* another mount of the same tree, or of what is below */
static bool do_mount(struct worker *w)
{
	char path[PATH_SIZE];
	bool done;

	if (once_in(w, 2)) {
		done = !mount("netnice", w->mount, "netnice", 0, NULL);
	} else {
		vif_path(w, path);
		done = !mount(path, w->mount, NULL, MS_BIND | MS_REC, NULL);
	}
	if (!done)
		return false;
	keep(w, open(w->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return !umount2(w->mount, MNT_DETACH);
}

/* What takes away the user's home is not the user's fault. */
static bool do_heal(struct worker *w)
{
	(void)w;
	mkdir(TOP "/eth0/home", 0755);
	return !chown(TOP "/eth0/home", USER, USER) & !chmod(TOP "/eth0/home", 0755) &
	       !chmod(TOP "/eth0", 0755);
}

static size_t expected(const struct own *own, unsigned int i, char *text)
{
	char value[2][64];

	for (unsigned int dir = 0; dir < 2; dir++)
		sprintf(value[dir], settings[i].read, own->value[i][dir]);
	return sprintf(text, "egress %s\ningress %s\n", value[0], value[1]);
}

/* what was read, or not, with spaces for its line ends, in a buffer */
static const char *in_line(char *text, ssize_t size)
{
	if (size < 0)
		return "nothing";
	for (ssize_t i = 0; i < size; i++)
		if (text[i] == '\n')
			text[i] = ' ';
	text[size] = '\0';
	return text;
}

/* What a file says is what was written, in one piece and in any part. */
static void check_own(struct worker *w, unsigned int i, int fd)
{
	char want[256], got[257];
	size_t size = expected(&w->own, i, want), from, length;
	ssize_t n = pread(fd, got, sizeof(got) - 1, 0);

	if (n != (ssize_t)size || memcmp(got, want, size)) {
		fault(w, "%s/%s says %s, not %s", w->own.path, settings[i].file, in_line(got, n), in_line(want, size));
		return;
	}
	from = below(w, size + 2);
	length = 1 + below(w, size);
	n = pread(fd, got, length, from);
	if (from >= size)
		length = 0;
	else if (from + length > size)
		length = size - from;
	if (n != (ssize_t)length || memcmp(got, want + from, length))
		fault(w, "%s/%s: %zu bytes from %zu on are %zd: %.*s", w->own.path, settings[i].file,
		      length, from, n, n < 0 ? 0 : (int)n, got);
	lseek(fd, 0, SEEK_SET);
	for (from = 0; (n = read(fd, got, 1 + below(w, 9))) > 0; from += n)
		if (from + n > size || memcmp(got, want + from, n))
			break;
	if (n || from != size)
		fault(w, "%s/%s: in small pieces, %zd bytes from %zu on are %s, of %s", w->own.path,
		      settings[i].file, n, from, in_line(got, n), in_line(want, size));
}

/* a value that a greater unit would not fit */
static unsigned int own_value(struct worker *w, unsigned int i)
{
	unsigned int value = settings[i].min + below(w, settings[i].max - settings[i].min + 1);

	return settings[i].max > 10000 && value % 1000 == 0 ? value + 1 : value;
}

/* Return: how many bytes; they set one direction, or both, and @own to that */
static size_t own_text(struct worker *w, unsigned int i, char *text)
{
	static const char *const directions[] = { "egress ", "ingress ", "" };
	unsigned int dir = below(w, 3), value = own_value(w, i);
	size_t size = sprintf(text, "%s", directions[dir]);

	size += sprintf(text + size, settings[i].written, value);
	for (unsigned int d = 0; d < 2; d++)
		if (dir == 2 || dir == d)
			w->own.value[i][d] = value;
	return size;
}

static bool make_own(struct worker *w)
{
	char path[PATH_SIZE], text[64];

	/* it takes search permission on the way */
	if (mkdir(w->own.path, 0755) && errno != EEXIST)
		return false;
	for (unsigned int i = 0; i < SETTINGS; i++) {
		unsigned int value = own_value(w, i);

		w->own.value[i][0] = w->own.value[i][1] = value;
		sprintf(path, "%s/%s", w->own.path, settings[i].file);
		if (!write_file(path, text, sprintf(text, settings[i].written, value)))
			return false;
	}
	w->own.known = true;
	return true;
}

static bool do_own(struct worker *w)
{
	static const int flags[] = { 0, O_TRUNC, O_APPEND, O_CREAT };
	unsigned int i = below(w, SETTINGS);
	char path[PATH_SIZE], text[2][128];
	struct iovec parts[2] = { { text[0], 0 }, { text[1], 0 } };
	struct own before = w->own;
	bool valid = true;
	size_t size;
	ssize_t n;
	int fd;

	/* a descriptor's number, used by another thread after its end, may be of this file */
	if (!w->alone)
		return false;
	if (!w->own.known)
		return make_own(w);
	sprintf(path, "%s/%s", w->own.path, settings[i].file);
	fd = open(path, O_RDWR | O_CLOEXEC | ONE_OF(w, flags), 0666);
	if (fd < 0)
		return false;
	check_own(w, i, fd);
	if (once_in(w, 4)) {
		n = write(fd, buffer, size = sprintf(buffer, "egress 7 ingress %u%%", below(w, 99)));
		if (n >= 0)
			fault(w, "%s has taken %s", path, buffer);
		if (pwrite(fd, "1", 1, 1 + below(w, 300)) >= 0 || errno != EINVAL)
			fault(w, "%s, written at an offset: %s", path, strerror(errno));
		valid = false;
	} else if (once_in(w, 4)) {
		/* two settings */
		size = parts[0].iov_len = own_text(w, i, text[0]);
		size += parts[1].iov_len = own_text(w, i, text[1]);
		lseek(fd, 0, SEEK_SET);
		n = writev(fd, parts, 2);
	} else {
		size = own_text(w, i, text[0]);
		n = pwrite(fd, text[0], size, 0);
	}
	if (n != (ssize_t)size && n >= 0)
		fault(w, "%s: of %zu bytes %zd were written", path, size, n);
	if (n < 0 && valid)
		fault(w, "%s refuses %s: %s", path, text[0], strerror(errno));
	if (n < 0)
		w->own = before;
	check_own(w, i, fd);
	close(fd);
	return n > 0;
}

const struct op ops[] = {
	{ "mkdir", 12, "RU", false, do_mkdir },
	{ "rmdir", 6, "RU", false, do_rmdir },
	{ "rename", 4, "", false, do_rename },
	{ "replace", 6, "R", false, do_replace },
	{ "symlink", 8, "R", false, do_symlink },
	{ "readlink", 6, "RU", false, do_readlink },
	{ "unlink", 4, "R", false, do_unlink },
	{ "link", 1, "", false, do_link },
	{ "mknod", 1, "", false, do_mknod },
	{ "getdents", 8, "RU", false, do_getdents },
	{ "seekdir", 4, "RU", false, do_seekdir },
	{ "gone", 2, "RU", false, do_gone },
	{ "open", 16, "RU", false, do_open },
	{ "open file", 6, "RU", false, do_open_file },
	{ "open directory", 6, "RU", false, do_open_dir },
	{ "reopen", 2, "RU", false, do_reopen },
	{ "close", 2, "RU", false, do_close },
	{ "dup", 1, "RU", false, do_dup },
	{ "read", 8, "RU", false, do_read },
	{ "pread", 6, "RU", false, do_pread },
	{ "readv", 3, "RU", false, do_readv },
	{ "write", 10, "RU", false, do_write },
	{ "pwrite", 6, "RU", false, do_pwrite },
	{ "writev", 4, "RU", false, do_writev },
	{ "bad address", 1, "", false, do_bad_address },
	{ "lseek", 4, "RU", false, do_lseek },
	{ "truncate", 2, "RU", false, do_truncate },
	{ "allocate", 1, "", false, do_allocate },
	{ "sync", 1, "RU", false, do_sync },
	{ "mmap", 1, "", false, do_mmap },
	{ "ioctl", 3, "RU", false, do_ioctl },
	{ "lock", 3, "RU", false, do_lock },
	{ "fcntl", 3, "RU", false, do_fcntl },
	{ "poll", 2, "RU", false, do_poll },
	{ "epoll", 1, "", false, do_epoll },
	{ "splice", 3, "", false, do_splice },
	{ "stat", 8, "RU", false, do_stat },
	{ "access", 3, "RU", false, do_access },
	{ "chmod", 4, "RU", false, do_chmod },
	{ "chown", 4, "R", false, do_chown },
	{ "utimens", 2, "RU", false, do_utimens },
	{ "xattr", 3, "", false, do_xattr },
	{ "handle", 2, "", false, do_handle },
	{ "inotify", 4, "RU", false, do_inotify },
	{ "fanotify", 3, "R", true, do_fanotify },
	{ "set", 6, "RU", false, do_set },
	{ "attach", 8, "R", false, do_attach },
	{ "autoremove", 3, "RU", false, do_autoremove },
	{ "last error", 2, "RU", false, do_last_error },
	{ "explained", 2, "RU", false, do_explained },
	{ "mount", 1, "R", true, do_mount },
	{ "heal", 2, "R", true, do_heal },
	{ "own", 6, "RU", false, do_own },
	{}
};
