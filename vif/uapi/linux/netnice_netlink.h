/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The generic netlink family "netnice": VIFs, their attachments, and events of both.
 * It is read-only: changes are made in the file system.
 * Documentation/netlink/specs/netnice.yaml is the same description for programs.
 *
 * All sizes are bytes on the wire, all rates bytes per second. Integers of 64 bits
 * are aligned to 4 bytes only; on some machines a *_A_*PAD attribute precedes them.
 * A reader must skip unknown attributes.
 *
 * The permissions of the directories, for the opener of the socket, decide what a reader
 * sees. VIFs below a VIF that the opener may not search are left out. In dumps and events,
 * VIFs below a VIF that the opener may not list are left out too. For a VIF that the
 * opener may not search, a reader gets what ls -ld shows: neither parameters nor
 * statistics nor attachments. Some kernels send events to administrators only, see
 * Documentation/interface.rst.
 *
 * NETNICE_CMD_VIF_GET
 * -------------------
 *
 * Without NLM_F_DUMP: one VIF, by number, or by device and path. The request has
 *
 *    NETNICE_A_VIF_ID: NLA_U64, or else
 *    NETNICE_A_VIF_IFINDEX: NLA_U32, or NETNICE_A_VIF_DEVICE: NLA_NUL_STRING
 *    NETNICE_A_VIF_PATH: NLA_NUL_STRING, below the device; none or "": the root VIF
 *    NETNICE_A_VIF_STAT: NLA_FLAG, to get statistics
 *
 * IFINDEX and DEVICE must agree if both are given. Errors: ENOENT there is no such VIF
 * for the caller, ENODEV no such device, EINVAL.
 *
 * With NLM_F_DUMP: all VIFs of the namespace of the socket, device by device, parents
 * first. All attributes of the request are optional:
 *
 *    NETNICE_A_VIF_IFINDEX, NETNICE_A_VIF_DEVICE: only this device
 *    NETNICE_A_VIF_PATH: only this VIF, and all VIFs below it; needs a device
 *    NETNICE_A_VIF_ID: the same by number; instead of device and path
 *    NETNICE_A_VIF_STAT: with statistics
 *
 * A dump is marked NLM_F_DUMP_INTR if something was changed meanwhile. A VIF that has
 * stayed at its place is in the dump once in any case.
 *
 * The answer is a message for each VIF:
 *
 *    NETNICE_A_VIF_IFINDEX: NLA_U32
 *    NETNICE_A_VIF_DEVICE: NLA_NUL_STRING
 *    NETNICE_A_VIF_PATH: NLA_NUL_STRING, "" for the root VIF
 *    NETNICE_A_VIF_ID: NLA_U64, never used for another VIF; the inode number of
 *                      its directory
 *    NETNICE_A_VIF_PARENT_ID: NLA_U64, of the VIF above; not in a root VIF
 *    NETNICE_A_VIF_UID: NLA_U32, in the opener's user namespace
 *    NETNICE_A_VIF_GID: NLA_U32
 *    NETNICE_A_VIF_MODE: NLA_U32, permission bits
 *    NETNICE_A_VIF_AUTOREMOVE: NLA_U32, 0 or 1
 *    NETNICE_A_VIF_EGRESS: NLA_NESTED, for sent packets
 *        NETNICE_A_DIR_BANDWIDTH: NLA_U64, none: max
 *        NETNICE_A_DIR_MINIMUM: NLA_U64, none: none
 *        NETNICE_A_DIR_BURST_BYTES: NLA_U64 }
 *        NETNICE_A_DIR_BURST_NS: NLA_U64    } one of them, none: auto
 *        NETNICE_A_DIR_WEIGHT: NLA_U32
 *        NETNICE_A_DIR_PRIORITY: NLA_U32
 *        NETNICE_A_DIR_LOCAL_WEIGHT: NLA_U32
 *        NETNICE_A_DIR_LOCAL_PRIORITY: NLA_U32
 *        NETNICE_A_DIR_LIMIT_BYTES: NLA_U32   }
 *        NETNICE_A_DIR_LIMIT_PACKETS: NLA_U32 } one of them, none: auto
 *        NETNICE_A_DIR_LIMIT_MAX: NLA_FLAG    }
 *        NETNICE_A_DIR_AQM: NLA_U32, enum netnice_aqm
 *        NETNICE_A_DIR_AQM_TARGET_US: NLA_U32   } present if they were set
 *        NETNICE_A_DIR_AQM_INTERVAL_US: NLA_U32 }
 *        NETNICE_A_DIR_AQM_NO_ACK_FILTER: NLA_FLAG, acknowledgements are kept even if
 *            later ones cover them
 *        NETNICE_A_DIR_FAIR: NLA_U32, enum netnice_fair, none: NETNICE_FAIR_FLOW
 *        NETNICE_A_DIR_OVERHEAD: NLA_S32 }
 *        NETNICE_A_DIR_MPU: NLA_U32      } of a device's link layer, present if they
 *        NETNICE_A_DIR_FRAMING: NLA_U32  } were set; enum netnice_framing
 *        NETNICE_A_DIR_CLASS: NLA_U32, none: none
 *        NETNICE_A_DIR_GROUP: NLA_U32, none: none
 *        NETNICE_A_DIR_PROGRAM: NLA_U32, instructions of its program; none: none
 *        NETNICE_A_DIR_PROGRAM_UID: NLA_U32, the user for whose packets it runs; none:
 *            for all packets
 *        NETNICE_A_DIR_DSCP: NLA_U32, written to packets, none: none. This and the
 *            following attributes up to SKB_PRIORITY_FORCE: in egress only
 *        NETNICE_A_DIR_DSCP_FORCE: NLA_FLAG, it replaces the values of VIFs below
 *        NETNICE_A_DIR_MARK: NLA_U32, value of the bits of MASK, none: 0
 *        NETNICE_A_DIR_MARK_MASK: NLA_U32, bits of packets' mark that are set, none: none
 *        NETNICE_A_DIR_MARK_FORCE: NLA_FLAG
 *        NETNICE_A_DIR_SKB_PRIORITY: NLA_U32, packets' priority in the kernel, none: none
 *        NETNICE_A_DIR_SKB_PRIORITY_FORCE: NLA_FLAG
 *        NETNICE_A_DIR_QUOTA_BYTES: NLA_U64, size of the quota, none: 0
 *        NETNICE_A_DIR_QUOTA_LEFT: NLA_U64, bytes that are left, none: 0
 *        NETNICE_A_DIR_QUOTA_THEN: NLA_U64, bytes per second when none are left, or all
 *            ones: nothing passes; none: there is no quota
 *        NETNICE_A_DIR_STAT: NLA_NESTED, if the request has NETNICE_A_VIF_STAT
 *            NETNICE_A_STAT_*: NLA_U64, as in the file "stat", times in ns
 *            NETNICE_A_STAT_SOJOURN_HISTOGRAM: NLA_BINARY, array of __u64: packets
 *                by their queueing delay, in ticks of 1024 ns. Bucket b is of
 *                b ticks if b < 4. Otherwise it is of (4 + b % 4) << (b / 4 - 1) ticks
 *                and more, and less than (5 + b % 4) << (b / 4 - 1). The array ends with
 *                the last bucket that is not 0; the attribute is missing if all are 0.
 *    NETNICE_A_VIF_INGRESS: NLA_NESTED, the same for received packets
 *    NETNICE_A_VIF_STACK: NLA_NUL_STRING, device of its user-level stack, if it has one
 *
 * NETNICE_CMD_ATTACHMENT_GET
 * --------------------------
 *
 * With NLM_F_DUMP all attributes of the request are optional:
 *
 *    NETNICE_A_ATTACHMENT_IFINDEX, NETNICE_A_ATTACHMENT_DEVICE: only to VIFs of
 *        this device
 *    NETNICE_A_ATTACHMENT_PATH: only to this VIF, and all VIFs below it; needs a device
 *    NETNICE_A_ATTACHMENT_VIF_ID: the same by number; instead of device and path
 *
 * The answer has a message for each attachment:
 *
 *    NETNICE_A_ATTACHMENT_VIF_ID: NLA_U64
 *    NETNICE_A_ATTACHMENT_IFINDEX: NLA_U32
 *    NETNICE_A_ATTACHMENT_DEVICE: NLA_NUL_STRING
 *    NETNICE_A_ATTACHMENT_PATH: NLA_NUL_STRING
 *    NETNICE_A_ATTACHMENT_KIND: NLA_U32, enum netnice_kind
 *    NETNICE_A_ATTACHMENT_ORIGIN: NLA_U32, enum netnice_origin
 *    NETNICE_A_ATTACHMENT_PID: NLA_U32, process, or process of a thread, in the
 *        reader's pid namespace
 *    NETNICE_A_ATTACHMENT_TID: NLA_U32, thread
 *    NETNICE_A_ATTACHMENT_COMM: NLA_NUL_STRING, process or thread, if the reader may
 *        know it
 *    NETNICE_A_ATTACHMENT_COOKIE: NLA_U64, socket, as in sock_diag(7)
 *    NETNICE_A_ATTACHMENT_FAMILY: NLA_U32, socket, AF_*
 *    NETNICE_A_ATTACHMENT_TYPE: NLA_U32, socket, SOCK_*
 *    NETNICE_A_ATTACHMENT_PROTOCOL: NLA_U32, socket
 *    NETNICE_A_ATTACHMENT_CGROUP_ID: NLA_U64, control group
 *    NETNICE_A_ATTACHMENT_CGROUP: NLA_NUL_STRING, its path below the reader's
 *        cgroup namespace's root, which is "/"
 *    NETNICE_A_ATTACHMENT_FROM_IFINDEX: NLA_U32, incoming device
 *    NETNICE_A_ATTACHMENT_FROM_DEVICE: NLA_NUL_STRING, its name
 *    NETNICE_A_ATTACHMENT_PORT: NLA_U32, socket that is a port of the VIF's user-level
 *        stack
 *
 * An object has two attachments on a device if an administrator has attached it to a
 * VIF, and its owner to a VIF below that.
 *
 * Without NLM_F_DUMP the request names a device, or any VIF of it, as above, and one of
 *
 *    NETNICE_A_ATTACHMENT_PID: a process
 *    NETNICE_A_ATTACHMENT_TID: a thread
 *    NETNICE_A_ATTACHMENT_COOKIE: a socket that is attached itself
 *
 * The reader needs power over a process or thread; a socket takes only its cookie. The
 * answer has the VIFs of the object on the device, and who has decided them. Paths are
 * below the device. The path of a VIF that the reader may not find is missing.
 *
 *    NETNICE_A_ATTACHMENT_IFINDEX, NETNICE_A_ATTACHMENT_DEVICE: the device
 *    NETNICE_A_ATTACHMENT_KIND: NLA_U32, enum netnice_kind
 *    NETNICE_A_ATTACHMENT_ORIGIN: NLA_U32, enum netnice_origin: the role in which the
 *        reader would attach it
 *    NETNICE_A_ATTACHMENT_GIVEN: NLA_NUL_STRING, the VIF to which an administrator has
 *        attached it; none: none
 *    NETNICE_A_ATTACHMENT_CHOSEN: NLA_NUL_STRING, the VIF to which a user has attached
 *        it, in force or not; none: none
 *    NETNICE_A_ATTACHMENT_PATH: the VIF of its packets; missing for a socket, because it
 *        depends on the tasks that use the socket
 *    NETNICE_A_ATTACHMENT_BASE: NLA_NUL_STRING, the VIF that its packets would have with
 *        administrators' attachments alone; missing for a socket
 *
 * Events
 * ------
 *
 * Sockets that have joined the group NETNICE_MCGRP_EVENTS get the events of their
 * namespace. A VIF has the attributes of NETNICE_CMD_VIF_GET, without statistics. UID and
 * GID are numbers of the user namespace that owns the network namespace.
 *
 *    NETNICE_CMD_VIF_NEW: a VIF was created
 *    NETNICE_CMD_VIF_DEL: a VIF was removed; only IFINDEX, DEVICE, PATH, ID and
 *        PARENT_ID. For a root VIF: its device is gone, with all VIFs below and their
 *        attachments, which have no events of their own.
 *    NETNICE_CMD_VIF_SET: a parameter, the owner, the mode, the stack or a program was set
 *    NETNICE_CMD_VIF_MOVE: a VIF, with all VIFs below it, has another name or another
 *        VIF above. NETNICE_A_VIF_OLD_PATH: NLA_NUL_STRING is its old path. It is missing
 *        for a root VIF, whose device has another name.
 *    NETNICE_CMD_ATTACH: an object was attached, which ends its earlier attachment on the
 *        device. The attributes are as in NETNICE_CMD_ATTACHMENT_GET, but PID and TID
 *        are numbers of the process's own pid namespace, and COMM, CGROUP, FROM_DEVICE
 *        and PORT are missing. Inherited attachments have no events.
 *    NETNICE_CMD_DETACH: an object was detached; the same attributes. There is no event
 *        for an object that ends, nor for the ports of a stack that ends, which has
 *        NETNICE_CMD_VIF_SET.
 *
 * An event is sent to readers that could see the VIF with its parameters in a dump. Events
 * may be lost (ENOBUFS from recv(2)): then a dump has the current state.
 */
#ifndef _UAPI_LINUX_NETNICE_NETLINK_H
#define _UAPI_LINUX_NETNICE_NETLINK_H

#define NETNICE_FAMILY_NAME	"netnice"
#define NETNICE_FAMILY_VERSION	1

#define NETNICE_MCGRP_EVENTS	"events"

/* Active queue management, for packets that are queued for too long. */
enum netnice_aqm {
	NETNICE_AQM_CODEL,
	NETNICE_AQM_NONE,
};

/* Fairness in a VIF: flows take turns, or hosts, and the flows of a host share its turns. */
enum netnice_fair {
	NETNICE_FAIR_FLOW,
	NETNICE_FAIR_DUAL_SRCHOST,
	NETNICE_FAIR_DUAL_DSTHOST,
};

/* How a link layer divides packets into cells or frames. */
enum netnice_framing {
	NETNICE_FRAMING_NONE,
	NETNICE_FRAMING_ATM,
	NETNICE_FRAMING_PTM,
};

/* Kinds of attached objects. */
enum netnice_kind {
	NETNICE_KIND_DEVICE,
	NETNICE_KIND_CGROUP,
	NETNICE_KIND_PROCESS,
	NETNICE_KIND_THREAD,
	NETNICE_KIND_SOCKET,
};

/* The role of the user who has attached an object. */
enum netnice_origin {
	NETNICE_ORIGIN_ADMIN,
	NETNICE_ORIGIN_USER,
};

enum {
	NETNICE_A_VIF_IFINDEX = 1,
	NETNICE_A_VIF_DEVICE,
	NETNICE_A_VIF_PATH,
	NETNICE_A_VIF_PAD,
	NETNICE_A_VIF_ID,
	NETNICE_A_VIF_PARENT_ID,
	NETNICE_A_VIF_UID,
	NETNICE_A_VIF_GID,
	NETNICE_A_VIF_MODE,
	NETNICE_A_VIF_AUTOREMOVE,
	NETNICE_A_VIF_EGRESS,
	NETNICE_A_VIF_INGRESS,
	NETNICE_A_VIF_STAT,
	NETNICE_A_VIF_OLD_PATH,
	NETNICE_A_VIF_STACK,

	__NETNICE_A_VIF_MAX,
	NETNICE_A_VIF_MAX = (__NETNICE_A_VIF_MAX - 1)
};

enum {
	NETNICE_A_DIR_PAD = 1,
	NETNICE_A_DIR_BANDWIDTH,
	NETNICE_A_DIR_BURST_BYTES,
	NETNICE_A_DIR_BURST_NS,
	NETNICE_A_DIR_WEIGHT,
	NETNICE_A_DIR_PRIORITY,
	NETNICE_A_DIR_LOCAL_WEIGHT,
	NETNICE_A_DIR_LOCAL_PRIORITY,
	NETNICE_A_DIR_LIMIT_BYTES,
	NETNICE_A_DIR_LIMIT_PACKETS,
	NETNICE_A_DIR_LIMIT_MAX,
	NETNICE_A_DIR_AQM,
	NETNICE_A_DIR_AQM_TARGET_US,
	NETNICE_A_DIR_AQM_INTERVAL_US,
	NETNICE_A_DIR_STAT,
	NETNICE_A_DIR_MINIMUM,
	NETNICE_A_DIR_OVERHEAD,
	NETNICE_A_DIR_MPU,
	NETNICE_A_DIR_FRAMING,
	NETNICE_A_DIR_CLASS,
	NETNICE_A_DIR_PROGRAM,
	NETNICE_A_DIR_PROGRAM_UID,
	NETNICE_A_DIR_DSCP,
	NETNICE_A_DIR_DSCP_FORCE,
	NETNICE_A_DIR_MARK,
	NETNICE_A_DIR_MARK_MASK,
	NETNICE_A_DIR_MARK_FORCE,
	NETNICE_A_DIR_SKB_PRIORITY,
	NETNICE_A_DIR_SKB_PRIORITY_FORCE,
	NETNICE_A_DIR_GROUP,
	NETNICE_A_DIR_QUOTA_BYTES,
	NETNICE_A_DIR_QUOTA_LEFT,
	NETNICE_A_DIR_QUOTA_THEN,
	NETNICE_A_DIR_AQM_NO_ACK_FILTER,
	NETNICE_A_DIR_FAIR,

	__NETNICE_A_DIR_MAX,
	NETNICE_A_DIR_MAX = (__NETNICE_A_DIR_MAX - 1)
};

enum {
	NETNICE_A_STAT_PAD = 1,
	NETNICE_A_STAT_PACKETS,
	NETNICE_A_STAT_BYTES,
	NETNICE_A_STAT_DROPS,
	NETNICE_A_STAT_MARKS,
	NETNICE_A_STAT_OVERLIMITS,
	NETNICE_A_STAT_P_QUEUE_PACKETS,
	NETNICE_A_STAT_P_QUEUE_BYTES,
	NETNICE_A_STAT_D_QUEUE_PACKETS,
	NETNICE_A_STAT_D_QUEUE_BYTES,
	NETNICE_A_STAT_SOJOURN_MIN,
	NETNICE_A_STAT_SOJOURN_MEAN,
	NETNICE_A_STAT_SOJOURN_P99,
	NETNICE_A_STAT_SOJOURN_MAX,
	NETNICE_A_STAT_SOJOURN_HISTOGRAM,
	NETNICE_A_STAT_ACK_DROPS,

	__NETNICE_A_STAT_MAX,
	NETNICE_A_STAT_MAX = (__NETNICE_A_STAT_MAX - 1)
};

enum {
	NETNICE_A_ATTACHMENT_PAD = 1,
	NETNICE_A_ATTACHMENT_VIF_ID,
	NETNICE_A_ATTACHMENT_IFINDEX,
	NETNICE_A_ATTACHMENT_DEVICE,
	NETNICE_A_ATTACHMENT_PATH,
	NETNICE_A_ATTACHMENT_KIND,
	NETNICE_A_ATTACHMENT_ORIGIN,
	NETNICE_A_ATTACHMENT_PID,
	NETNICE_A_ATTACHMENT_TID,
	NETNICE_A_ATTACHMENT_COMM,
	NETNICE_A_ATTACHMENT_COOKIE,
	NETNICE_A_ATTACHMENT_FAMILY,
	NETNICE_A_ATTACHMENT_TYPE,
	NETNICE_A_ATTACHMENT_PROTOCOL,
	NETNICE_A_ATTACHMENT_CGROUP_ID,
	NETNICE_A_ATTACHMENT_CGROUP,
	NETNICE_A_ATTACHMENT_FROM_IFINDEX,
	NETNICE_A_ATTACHMENT_FROM_DEVICE,
	NETNICE_A_ATTACHMENT_PORT,
	NETNICE_A_ATTACHMENT_GIVEN,
	NETNICE_A_ATTACHMENT_CHOSEN,
	NETNICE_A_ATTACHMENT_BASE,

	__NETNICE_A_ATTACHMENT_MAX,
	NETNICE_A_ATTACHMENT_MAX = (__NETNICE_A_ATTACHMENT_MAX - 1)
};

enum {
	NETNICE_CMD_VIF_GET = 1,
	NETNICE_CMD_ATTACHMENT_GET,
	NETNICE_CMD_VIF_NEW,
	NETNICE_CMD_VIF_DEL,
	NETNICE_CMD_VIF_SET,
	NETNICE_CMD_VIF_MOVE,
	NETNICE_CMD_ATTACH,
	NETNICE_CMD_DETACH,

	__NETNICE_CMD_MAX,
	NETNICE_CMD_MAX = (__NETNICE_CMD_MAX - 1)
};

#endif
