/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file system "netnice": the tree of VIFs as a tree of directories.
 *
 * It is served from lookup and readdir: nothing here knows when a VIF comes
 * or goes. Dentries and inodes of VIFs, which they do not keep, last until memory is
 * wanted, others as long as somebody uses them, and d_revalidate hides those whose
 * object has gone. In the order in which to read the files:
 *
 *	inode.c		what an inode of ours is; owners and modes of VIFs
 *	super.c		mounting; what a superblock is keyed by
 *	top.c		/: a directory for each device, tasks, last_error
 *	last_error.c	why the reader's last operation failed
 *	dir.c		the directory of a VIF
 *	files.c		the table of the files of a VIF; open, read, write
 *	values.c	those with a value that is no parameter: autoremove, stat
 *	members.c	the one that lists and attaches processes
 *	tasks.c		/tasks and /tasks/PID
 *	link.c		/tasks/PID/DEVICE: symbolic links that are attachments
 *	alias.c		names under which ln has just made one of them
 *	path.c		the path of a VIF as text
 *
 * Locks: an inode's lock, which the VFS takes, then struct vif_net's, which
 * the functions of vif/ take. None of our own, but the aliases' spinlock.
 */
#ifndef NETNICE_PROCFS_PROCFS_H
#define NETNICE_PROCFS_PROCFS_H

/**
 * nnfs_init() - make the mount point and register the file system
 *
 * Everything of vif/ has to be there already.
 * Return: 0 or an errno.
 */
int nnfs_init(void);

/**
 * nnfs_exit() - the end of nnfs_init()
 *
 * Mounts hold the module, so that there are none.
 */
void nnfs_exit(void);

#endif
