/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family: dumps of VIFs and attachments, and events, for programs. It is
 * read-only. uapi/linux/netnice_netlink.h describes it, nl_gen.c has its operations and policies.
 *
 * A reader sees what the file system would show to the same user: nothing below a directory that
 * the user may not search, and below a directory that the user may not list only what the request
 * names. The opener's credentials decide, as for files, because the socket may have been passed on.
 */
#ifndef NETNICE_VIF_NETLINK_H
#define NETNICE_VIF_NETLINK_H

#include <linux/netnice.h>
#include <linux/types.h>

struct cred;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;
struct user_namespace;
struct vif;
struct vif_attachment;
struct vif_net;
struct vif_place;

/* --- nl_access.c: the family; which VIF is meant, and what the reader may see --- */

int nn_nl_init(void);
void nn_nl_exit(void);

/*
 * Take the credentials of the opener of a request's socket. Returns the argument of revert_creds().
 */
const struct cred *nn_nl_act_as_reader(struct sk_buff *request);

/**
 * struct nn_nl_names - how a request may name a VIF
 * @id: its attribute with a number
 * @ifindex: with the device's
 * @device: with the device's name
 * @path: with the path below the device
 */
struct nn_nl_names {
	int id;
	int ifindex;
	int device;
	int path;
};

/**
 * __nn_nl_find() - the VIF that a request names
 * @vn: the namespace
 * @names: its attributes' types
 * @attrs: the attributes
 * @extack: where to say what is wrong
 *
 * Context: the tree mutex is held, as the reader.
 * Return: the VIF, valid as long as the mutex is held, NULL if the request names
 *	none, or an error pointer: -EINVAL, -ENODEV, -ENOENT.
 */
struct vif *__nn_nl_find(struct vif_net *vn, const struct nn_nl_names *names,
			 struct nlattr **attrs, struct netlink_ext_ack *extack);

/* May the files in a VIF's directory be read, if it may be found? Ditto. */
bool __nn_nl_may_read(const struct vif *vif);

/**
 * __nn_nl_sees() - may the reader see what is in a VIF?
 * @vif: the VIF
 * @top: only if it is this one, or below; or NULL
 *
 * Context: the tree mutex is held, as the reader.
 */
bool __nn_nl_sees(const struct vif *vif, const struct vif *top);

/* Must all above a VIF be searched: may they? Ditto. */
bool __nn_nl_may_find(const struct vif *vif);

/*
 * Walk the trees of a namespace in parts. A place is the numbers of the VIFs on the path to it, and
 * places are ordered by these numbers. So a walk continues at its place even if VIFs were removed,
 * and ends even if VIFs are moved.
 */

/**
 * struct nn_nl_walk - a walk
 * @top: number of the VIF to begin at, and not to leave; 0: all
 * @ino: numbers of the VIFs on the way to the last one seen, root VIF first
 * @levels: how many, 0: none has been seen yet
 */
struct nn_nl_walk {
	u64 top;
	u64 ino[NETNICE_DEPTH_MAX + 1];
	unsigned int levels;
};

/* The VIF that follows the last one seen, or NULL. As the reader, tree mutex held. */
struct vif *__nn_nl_resume(const struct nn_nl_walk *walk, struct vif_net *vn);

/* The one that follows @vif, all above which may be listed, or NULL. Ditto. */
struct vif *__nn_nl_next(const struct nn_nl_walk *walk, struct vif *vif);

/* Note that @vif has been seen. Caller holds the tree mutex. */
void __nn_nl_seen(struct nn_nl_walk *walk, const struct vif *vif);

/* --- nl_vif.c: a VIF as a message --- */

/* Maximum size of a message about one VIF, in bytes: two paths, and all statistics. */
#define NN_NL_MESSAGE_SIZE	8192

/*
 * Put attributes into a message; the tree mutex is held. -EMSGSIZE if there is no
 * room, and the message is to be cancelled.
 */

/**
 * struct nn_nl_where - types of the attributes that tell where a VIF is
 * @ifindex: the device's number
 * @device: the device's name
 * @path: the path below the device
 */
struct nn_nl_where {
	int ifindex;
	int device;
	int path;
};

int __nn_nl_put_where(struct sk_buff *skb, const struct vif *vif,
		      const struct nn_nl_where *types);

/* Write only the path below its device. */
int __nn_nl_put_path(struct sk_buff *skb, int type, const struct vif *vif);

/*
 * Put the identity of a VIF into a message. @to: its future place, or NULL for the present one;
 * @moves: also its old place.
 */
int __nn_nl_put_vif_place(struct sk_buff *skb, const struct vif *vif,
			  const struct vif_place *to, bool moves);

/* Put owner, group and mode, with IDs of user namespace @ns. */
int __nn_nl_put_vif_owner(struct sk_buff *skb, const struct vif *vif,
			  struct user_namespace *ns);

/* Put the contents of its files, with IDs of user namespace @ns; @stat: also its statistics. */
int __nn_nl_put_vif_files(struct sk_buff *skb, struct vif *vif, struct user_namespace *ns,
			  bool stat);

/* --- nl_attachment.c: an attachment as a message --- */

/*
 * Put the properties of an attachment into a message that all readers may know: the VIF and the
 * object, but no numbers of processes, which depend on the reader. Caller holds the tree mutex.
 * Return -EMSGSIZE if there is no room.
 */
int __nn_nl_put_attachment(struct sk_buff *skb,
			   const struct vif_attachment *attachment);

/* The numbers of a process, and of a thread if it is not 0. */
int nn_nl_put_pids(struct sk_buff *skb, u32 pid, u32 tid);

/* --- nl_event.c: events as messages --- */

/* Send events to the listeners that may see them, if there are any. Context: process. */
int nn_nl_event_init(void);
void nn_nl_event_exit(void);

#endif
