/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations for the files of this folder, in the order of the files: each file calls only
 * functions of the files before it, and others through tables. Start with struct nnfs_kind.
 */
#ifndef NETNICE_PROCFS_INTERNAL_H
#define NETNICE_PROCFS_INTERNAL_H

#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uidgid.h>

#include <linux/netnice.h>
#include "../vif/attach/target.h"
#include "../vif/compat/fs.h"
#include "../vif/grammar/params.h"

struct nnfs_file;
struct pid_namespace;

/* Number of links, made within a second, that can be found again. */
#define NNFS_ALIASES		64
/* Longer names are not remembered. The names that ln(1) makes have 8 characters. */
#define NNFS_ALIAS_NAME_SIZE	32

/**
 * struct nnfs_alias - a name given to a link, see alias.c
 * @expires: time when it ends, in jiffies
 * @dev_ino: number of the device's root VIF, 0 in a free slot
 * @dir: inode number of the directory
 * @payer: the user who is charged for the slot
 * @name: the name
 */
struct nnfs_alias {
	unsigned long expires;
	u64 dev_ino;
	u64 dir;
	kuid_t payer;
	char name[NNFS_ALIAS_NAME_SIZE];
};

/**
 * struct nnfs_aliases - the last names of a superblock
 * @lock: guards @slot
 * @slot: the names, in no order
 */
struct nnfs_aliases {
	spinlock_t lock;
	struct nnfs_alias slot[NNFS_ALIASES];
};

/**
 * struct nnfs_top - owner and mode of the top directory, by the mount's options
 * @uid: owner
 * @gid: group
 * @mode: permission bits
 * @given: any of them has been given
 */
struct nnfs_top {
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
	bool given;
};

/**
 * struct nnfs_super - a superblock's s_fs_info
 * @net: state of the network namespace whose VIFs are shown (referenced, which does not keep the
 *	namespace itself)
 * @pid_ns: the PID namespace whose process numbers are used (referenced)
 * @cgroup: root of the control groups that are shown (referenced), or NULL
 * @top: see there
 * @since: time of the first mount
 * @rcu: walks in RCU mode may outlive the mount; in the first 4096 bytes
 * @aliases: names that were given to links
 *
 * The first three are the key of a superblock. All its mounts share dentries, but a process has
 * other numbers in another PID namespace, and a group has another path in another cgroup namespace.
 */
struct nnfs_super {
	struct vif_net *net;
	struct pid_namespace *pid_ns;
	struct cgroup *cgroup;
	struct nnfs_top top;
	struct timespec64 since;
	struct rcu_head rcu;
	struct nnfs_aliases aliases;
};

/**
 * struct nnfs_entry - an entry that a directory lists
 * @name: its name, "" to leave it out
 * @ino: number of its inode
 * @type: DT_*
 */
struct nnfs_entry {
	char name[NAME_MAX + 2];
	u64 ino;
	unsigned char type;
};

/**
 * struct nnfs_fixed - an entry with a fixed name
 * @name: its name, NULL at the end of a table
 * @kind: kind of its inode
 * @ino: its inode number, relative to the directory's
 * @bind: binds its inode to another object than the directory's; may be NULL
 * @is_there: has the directory this entry now? NULL: always
 */
struct nnfs_fixed {
	const char *name;
	const struct nnfs_kind *kind;
	u64 ino;
	void (*bind)(struct inode *inode);
	bool (*is_there)(const struct inode *dir);
};

/**
 * struct nnfs_part - a part of a directory's entries
 * @fixed: a table of entries; or else:
 * @find: creates the inode of the entry with a name; returns NULL if there is no such entry, or an
 * error
 *	pointer
 * @next: finds the next entry after position *@pos, 0 for the first one, and sets *@pos to the
 * entry's
 *	position. This is greater, and constant while the entry exists. Returns false at the end
 */
struct nnfs_part {
	const struct nnfs_fixed *fixed;
	struct inode *(*find)(struct inode *dir, const struct qstr *name);
	bool (*next)(struct inode *dir, u64 *pos, struct nnfs_entry *entry);
};

/**
 * struct nnfs_kind - common properties of all inodes of a kind
 * @mode: type and permission bits
 * @i_op: inode operations
 * @i_fop: file operations
 * @kept: its inodes hold no object, so they may stay cached when they are unused. If such a kind
 * has
 *	@alive, its inodes are VIFs' and have the VIF's owner, and @alive does not sleep
 * @alive: does the object still exist under this name? NULL: always
 * @first: of a directory, the entries that it lists first, up to NNFS_FIRST_MAX positions; they
 * take
 *	precedence over @rest
 * @rest: of a directory, the other entries
 * @show: prints a file with nnfs_text_fops
 */
struct nnfs_kind {
	umode_t mode;
	const struct inode_operations *i_op;
	const struct file_operations *i_fop;
	bool kept;
	bool (*alive)(const struct inode *inode, const struct qstr *name);
	struct nnfs_part first;
	struct nnfs_part rest;
	void (*show)(struct seq_file *seq, const struct inode *inode);
};

#define NNFS_FIRST_MAX	(1 << 20)

/**
 * struct nnfs_inode - an inode
 * @kind: its kind
 * @vif: the VIF that it shows, belongs to or links to, or NULL: a weak reference, see
 *	nnfs_vif_get()
 * @owner_changes: the VIF's @owner_changes when owner and mode were copied
 * @target: the object whose attachments it shows, or of which it is an attachment (referenced), if
 * any
 * @dir_ino: inode number of its directory; 0 for the directory of a root VIF
 * @pid: below /tasks, the process that it belongs to (referenced), or NULL
 * @file: of a file of a VIF, its entry in the table
 * @vfs: the VFS's part
 *
 * Each dentry has one, freed with it. It does not keep its VIF. Inodes of VIFs stay cached while
 * there is memory.
 */
struct nnfs_inode {
	const struct nnfs_kind *kind;
	struct vif *vif;
	u32 owner_changes;
	struct vif_target target;
	u64 dir_ino;
	struct pid *pid;
	const struct nnfs_file *file;
	struct inode vfs;
};

static inline struct nnfs_inode *nnfs_i(const struct inode *inode)
{
	return container_of(inode, struct nnfs_inode, vfs);
}

static inline struct nnfs_super *nnfs_super(const struct super_block *sb)
{
	return sb->s_fs_info;
}

static inline struct vif_net *nnfs_net(const struct inode *inode)
{
	return nnfs_super(inode->i_sb)->net;
}

/*
 * Spaces of inode numbers, in the four highest bits. The directory of a VIF has the
 * VIF's number, /tasks/PID one of its process's; what is below /tasks/PID counts from
 * there on: its directories of threads and sockets, each of which has room for 32 bits,
 * and what sockets' directories list.
 */
enum nnfs_ino_space {
	NNFS_INO_VIF,
	NNFS_INO_FILE,
	NNFS_INO_TASK,
	NNFS_INO_LINK,
	NNFS_INO_CGROUP,
	NNFS_INO_DEVICE,
	NNFS_INO_TOP,
};

static inline u64 nnfs_ino(enum nnfs_ino_space space, u64 number)
{
	return (u64)space << 60 | (number & (BIT_ULL(60) - 1));
}

/* Is the name equal to @text? */
static inline bool nnfs_is_name(const struct qstr *name, const char *text)
{
	return name->len == strlen(text) &&
	       !memcmp(name->name, text, name->len);
}

/**
 * struct nnfs_file - a file of a VIF
 * @name: its name
 * @restrains: the VIF's owner alone must not change it: opening it for writing also takes write
 *	permission on the directory above the VIF
 * @most: the longest text that it accepts, in bytes; 0: a few words
 * @param: the parameter, if the file is a parameter's
 * @show: prints the value
 * @seq: prints a list, instead of @show
 * @store: handles the text of a whole write, without white space around it, with the opener's
 *	credentials. Returns 0 or the result of vif_fail(). NULL: the file is read-only
 */
struct nnfs_file {
	const char *name;
	bool restrains;
	size_t most;
	enum vif_param_id param;
	int (*show)(struct seq_file *seq, struct vif *vif);
	const struct seq_operations *seq;
	int (*store)(struct file *file, struct vif *vif, char *text);
};

/**
 * struct nnfs_open - an open file of a VIF; a seq_file's private part
 * @vif: the VIF (referenced): there as long as the file is open, removed or not
 * @pinned: bit 0: it pins the VIF, until vif_unpin() at release
 * @member: the present element of a list of attached objects (referenced)
 * @place: its position, see vif_subject_after()
 * @here: the opener was in the VIF's network namespace
 */
struct nnfs_open {
	struct vif *vif;
	unsigned long pinned;
	struct vif_subject *member;
	u64 place;
	bool here;
};

static inline struct nnfs_open *nnfs_open_of(const struct file *file)
{
	const struct seq_file *seq = file->private_data;

	return seq->private;
}

/* Return the VIF, or the table's entry, that a seq_file shows. */
static inline struct vif *nnfs_seq_vif(const struct seq_file *seq)
{
	return ((struct nnfs_open *)seq->private)->vif;
}

static inline const struct nnfs_file *nnfs_seq_file(const struct seq_file *seq)
{
	return nnfs_i(file_inode(seq->file))->file;
}

/* ---- alias.c ---- */

void nnfs_aliases_init(struct nnfs_aliases *aliases);

/* Remember that in a directory, known by its number, a name stands for a device. */
void nnfs_alias_add(struct nnfs_aliases *aliases, u64 dir,
		    const struct qstr *name, u64 dev_ino);

/* Return the device from nnfs_alias_add(); 0: there is none, or it has expired. */
u64 nnfs_alias_find(struct nnfs_aliases *aliases, u64 dir,
		    const struct qstr *name);

/* Forget a name that was used up. */
void nnfs_alias_forget(struct nnfs_aliases *aliases, u64 dir,
		       const struct qstr *name);

/* ---- path.c ---- */

/* Is the name, which is not terminated, reserved, so that a device with it has no directory? */
bool nnfs_path_reserved(const char *name, size_t len);

/**
 * nnfs_vif_entry() - make a directory's entry of a VIF
 * @vif: the VIF, whose reference is put, or NULL
 * @pos: result: its number
 * @entry: result: its name (a root VIF has its device's), or "" if it is not in the tree any more
 *
 * Context: process; takes the tree mutex.
 * Return: false if @vif is NULL.
 */
bool nnfs_vif_entry(struct vif *vif, u64 *pos, struct nnfs_entry *entry);

/**
 * nnfs_has_device_name() - whether a device has a name now
 * @vif: a VIF of the device
 * @name: the name
 *
 * Context: process, or under rcu_read_lock().
 * Return: false if the device has gone.
 */
bool nnfs_has_device_name(const struct vif *vif, const struct qstr *name);

/**
 * nnfs_vif_is_at() - whether a VIF is in the tree at a place
 * @vif: the VIF; a weak reference will do
 * @parent_ino: number of the VIF above it, 0 for a device's root VIF
 * @name: its name there
 *
 * Context: process, or under rcu_read_lock().
 */
bool nnfs_vif_is_at(const struct vif *vif, u64 parent_ino, const struct qstr *name);

/**
 * nnfs_path_text() - get the path of a VIF, for example "eth0/web"
 * @vif: the VIF
 * @prefix: text to put before it
 * @buf: room for the text
 * @size: size of @buf
 *
 * Return: the beginning of the text in @buf, or an error pointer: -ENAMETOOLONG, -ENOENT the VIF,
 * or
 *	a VIF above it, is not in the tree any more, -EACCES the caller may not know the name, because
 *	it may not search all directories above.
 */
char *nnfs_path_text(struct vif *vif, const char *prefix, char *buf,
		     size_t size);

/**
 * nnfs_path_vif() - find the VIF that the text of a link means
 * @net: the namespace
 * @base: directory of the link, as an absolute path
 * @text: the link's text
 *
 * The text is read as text: no path is looked up by the VFS, which would
 * take locks that the caller, a symlink(2) in this very file system, has.
 * Context: process; takes the tree mutex.
 * Return: the VIF, referenced, or an error pointer; last_error is set.
 */
struct vif *nnfs_path_vif(struct vif_net *net, const char *base,
			  const char *text);

/* ---- inode.c ---- */

extern const struct dentry_operations nnfs_dentry_ops;

/**
 * nnfs_inode_new() - create an inode
 * @sb: the superblock
 * @kind: its kind
 * @ino: its number
 *
 * Return: the inode, owned by the root of the superblock's user namespace,
 *	or -ENOMEM.
 */
struct inode *nnfs_inode_new(struct super_block *sb,
			     const struct nnfs_kind *kind, u64 ino);

/**
 * nnfs_inode_below() - create the inode of a directory's entry
 * @dir: the directory
 * @kind: its kind
 * @ino: its number
 * @target: its object, to which a reference is taken; NULL: the object of @dir
 *
 * It belongs to the same process as @dir, unless @target is a process.
 * Return: as nnfs_inode_new().
 */
struct inode *nnfs_inode_below(struct inode *dir, const struct nnfs_kind *kind,
			       u64 ino, const struct vif_target *target);

/* Bind a new inode to a VIF, and copy the VIF's owner and mode. */
void nnfs_inode_set_vif(struct inode *inode, struct vif *vif);

/* Bind a new inode to a target, and take a reference to it. */
void nnfs_inode_set_target(struct inode *inode,
			   const struct vif_target *target);

/* Return the VIF of an inode, referenced, or NULL if the VIF was removed. */
struct vif *nnfs_vif_get(const struct inode *inode);

/* Do the same, or return -ENOENT and set last_error. */
struct vif *nnfs_vif_get_or_fail(const struct inode *inode);

/* Return owner, group and mode of an inode in the form that VIFs have. */
struct vif_owner nnfs_inode_owner(const struct inode *inode);

/**
 * nnfs_deny() - set last_error for a denied operation: it names the VIF's owner
 * @vif: the VIF
 * @file: a file of it, or NULL
 * @err: negative errno
 * @what: the operation
 *
 * Return: @err.
 */
int nnfs_deny(struct vif *vif, const struct nnfs_file *file, int err,
	      const char *what);

/**
 * nnfs_need_write() - check the caller's permission to write to a VIF's directory
 * @vif: the VIF
 * @file: a file of the VIF, for last_error, or NULL
 *
 * Context: process; takes the tree mutex. Sets last_error where it fails.
 * Return: 0 or -EACCES.
 */
int nnfs_need_write(struct vif *vif, const struct nnfs_file *file);

/* Does the inode belong to a process over which the caller has no power? */
bool nnfs_is_hidden(const struct inode *inode);

/* Inode operations of tasks, sockets and groups. They return -ENOENT if nnfs_is_hidden(). */
int nnfs_task_permission(struct nnfs_idmap *idmap, struct inode *inode,
			 int mask);
int nnfs_task_getattr(struct nnfs_idmap *idmap, const struct path *path,
		      struct kstat *stat, u32 mask, unsigned int flags);

/* A VIF's directory and files use these inode operations. */
int nnfs_permission(struct nnfs_idmap *idmap, struct inode *inode, int mask);
int nnfs_getattr(struct nnfs_idmap *idmap, const struct path *path,
		 struct kstat *stat, u32 mask, unsigned int flags);
int nnfs_setattr_dir(struct nnfs_idmap *idmap, struct dentry *dentry,
		     struct iattr *attr);

/*
 * Refuse to change attributes. Only directories of VIFs do not use it: their owner and mode can
 * change.
 */
int nnfs_setattr_fixed(struct nnfs_idmap *idmap, struct dentry *dentry,
		       struct iattr *attr);

/* Members of struct super_operations. */
struct inode *nnfs_alloc_inode(struct super_block *sb);
void nnfs_free_inode(struct inode *inode);
void nnfs_evict_inode(struct inode *inode);

int nnfs_inode_cache_init(void);
void nnfs_inode_cache_exit(void);

/* ---- dir.c ---- */

/* All directories use these. */
extern const struct file_operations nnfs_dir_fops;
struct dentry *nnfs_dir_lookup(struct inode *dir, struct dentry *dentry,
			       unsigned int flags);

/* Refuse a link in a directory that does not belong to a target. */
int nnfs_dir_no_symlink(struct nnfs_idmap *idmap, struct inode *dir,
			struct dentry *dentry, const char *text);

/* Inode operations of a directory that can only be read. */
extern const struct inode_operations nnfs_list_iops;

/* Operations of a file that struct nnfs_kind.show prints. */
extern const struct inode_operations nnfs_text_iops;
extern const struct file_operations nnfs_text_fops;

/* Return the number that the name is, or -1. */
int nnfs_dir_number(const struct qstr *name);

/* Make an entry of a directory whose name is a number. */
void nnfs_dir_number_entry(struct nnfs_entry *entry, int number, u64 ino);

/* ---- link.c ---- */

/* The first part of a target's directory: its links. */
#define NNFS_LINKS	{ .find = nnfs_link_find, .next = nnfs_link_next }

struct inode *nnfs_link_find(struct inode *dir, const struct qstr *name);

/*
 * Does @inode show a link under another name than its device's? symlink(2) may use such a name
 * again.
 */
bool nnfs_link_is_alias(const struct inode *inode, const struct qstr *name);

/* Is the name looked up to be created, for example by symlink(2)? */
static inline bool nnfs_is_made(unsigned int flags)
{
	return (flags & (LOOKUP_CREATE | LOOKUP_EXCL)) == (LOOKUP_CREATE | LOOKUP_EXCL);
}
bool nnfs_link_next(struct inode *dir, u64 *pos, struct nnfs_entry *entry);

/* Is there a link with this name? */
bool nnfs_link_exists(struct inode *dir, const char *name);

/* Return the inode of the link to a VIF, or an error pointer. */
struct inode *nnfs_link_inode(struct inode *dir, struct vif *vif);

/* ---- target.c ---- */

/* Inode operations of a target's directory. */
extern const struct inode_operations nnfs_target_iops;
int nnfs_target_rename(struct nnfs_idmap *idmap, struct inode *old_dir,
		       struct dentry *old_dentry, struct inode *new_dir,
		       struct dentry *new_dentry, unsigned int flags);

/* Does the inode's target still exist? */
bool nnfs_target_alive(const struct inode *inode, const struct qstr *name);

/* ---- sockinfo.c ---- */

/* Print it flat keyed: protocol, state, local, remote, cookie. */
void nnfs_sockinfo_show(struct seq_file *seq, struct sock *sk);

/* Print it in a line: cookie, protocol, local and remote address. */
void nnfs_sockinfo_line(struct seq_file *seq, struct sock *sk);

/* ---- relays.c ---- */

/* Inode operations of a socket's directory. A socket is a target, and may have a relay. */
extern const struct inode_operations nnfs_relay_iops;

/* The entries of a socket with a relay: the link, and the file of its program. */
extern const struct nnfs_kind nnfs_relay_kind;
extern const struct nnfs_kind nnfs_relay_program_kind;
bool nnfs_relay_is(const struct inode *dir);

/* Print its counters, flat keyed, if the socket has one. */
void nnfs_relay_show(struct seq_file *seq, const struct sock *sk);

/* ---- sockets.c, tasks.c, cgroups.c ---- */

extern const struct nnfs_kind nnfs_sockets_kind;
extern const struct nnfs_kind nnfs_tasks_kind;
extern const struct nnfs_kind nnfs_cgroup_kind;

/* Return the file of a process's socket of that namespace at a descriptor, referenced, or NULL. */
struct file *nnfs_sock_file_get(const struct vif_net *net, struct pid *pid, int fd);

/* Return the process or thread of a number, referenced, or NULL. */
struct pid *nnfs_pid_get(struct pid_namespace *ns, int nr);

/* Bind the inode of /cgroups to the group that is shown as root. */
void nnfs_cgroup_bind(struct inode *inode);

/* ---- members.c ---- */

/* For the table of files; see struct nnfs_file. */
extern const struct seq_operations nnfs_tasks_seq;
extern const struct seq_operations nnfs_socks_seq;
int nnfs_tasks_store(struct file *file, struct vif *vif, char *text);

/* ---- files.c ---- */

/* Is it the name of a file? */
bool nnfs_name_is_file(const struct qstr *name);

/* The first part of a VIF's directory: its files. */
struct inode *nnfs_file_find(struct inode *dir, const struct qstr *name);
bool nnfs_file_next(struct inode *dir, u64 *pos, struct nnfs_entry *entry);

/* ---- vif_dir.c ---- */

/* Return the inode of a VIF's directory, or an error pointer. */
struct inode *nnfs_vif_dir_inode(struct inode *dir, struct vif *vif);

/* Remove the VIF of a directory from the tree, like vif_remove(). */
int nnfs_vif_dir_remove(const struct inode *inode);

/* ---- top.c ---- */

/* Return the inode of the top directory, or an error pointer. */
struct inode *nnfs_top_inode(struct super_block *sb);

#endif
