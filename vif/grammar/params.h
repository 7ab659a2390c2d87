/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parameters of a VIF: one table of all parameters and their syntax. Files, netlink messages
 * and the tools are made from it.
 *
 * To add a parameter: add a line of the table, a member of struct vif_params and one more in
 * VIF_FIELDS here; its text, its default and its attribute in params.c; and the attribute's number
 * in uapi/linux/netnice_netlink.h. Its effect is in tree/param.c.
 */
#ifndef NETNICE_GRAMMAR_PARAMS_H
#define NETNICE_GRAMMAR_PARAMS_H

#include <linux/stddef.h>

#include "units.h"

enum vif_dir {
	VIF_EGRESS,
	VIF_INGRESS,
	VIF_DIRS
};

/* "egress", "ingress" */
extern const char *const vif_dir_name[VIF_DIRS];

/* Lowest and highest rate that can be set, in bytes per second; VIF_RATE_MAX: no limit. */
#define VIF_RATE_MIN		1000ULL
#define VIF_RATE_LIMIT		50000000000ULL
#define VIF_RATE_MAX		(~0ULL)

#define VIF_WEIGHT_MAX		10000
#define VIF_PRIORITY_MAX	7

/* Numbers by which a program may name VIFs, from 1 on. */
#define VIF_CLASS_MAX		15

/* Numbers of groups, from 1 on. */
#define VIF_GROUP_MAX		65535

/* Largest bursts that may be set: an hour, 4 GiB. */
#define VIF_BURST_MAX_NS	3600000000000ULL
#define VIF_BURST_MAX_BYTES	4294967296ULL

/* Longest time of CoDel's that may be set, and most that may wait. */
#define VIF_CODEL_MAX_US	10000000
#define VIF_LIMIT_MAX_BYTES	4294967295ULL
#define VIF_LIMIT_MAX_PACKETS	1000000

/* Bytes that a link layer may add at most, or take away, and ask for at least. */
#define VIF_OVERHEAD_MIN	(-64)
#define VIF_OVERHEAD_MAX	256
#define VIF_OVERHEAD_NONE	(-0x7fffffff - 1)
#define VIF_MPU_MAX		256

/* Largest quota: 1 PiB, so that it is printed in VIF_PRINT_MAX bytes. */
#define VIF_QUOTA_MAX_BYTES	(1ULL << 50)
#define VIF_QUOTA_STOP		(~0ULL)

/* How much a clock may save while idle; all zero: auto. */
struct vif_burst {
	u64 bytes;
	u64 ns;
};

/* The maximum queue length; all zero: auto. */
struct vif_limit {
	u32 bytes;
	u32 packets;
	u32 max;
};

/*
 * Active queue management: an enum netnice_aqm; CoDel's times, 0 if they are not given; and whether
 * CoDel keeps acknowledgements that later ones cover.
 */
struct vif_aqm {
	u32 kind;
	u32 target_us;
	u32 interval_us;
	u32 no_ack_filter;
};

/* The cost of packets on a device's link; framing is an enum netnice_framing. */
struct vif_link {
	s32 overhead;		/* bytes; VIF_OVERHEAD_NONE: not given */
	s32 mpu;		/* bytes at least */
	u32 framing;
};

#define VIF_DSCP_MAX		63

/* Highest SO_PRIORITY that needs no privilege. */
#define VIF_SKB_PRIORITY_USER	6

/* TC_PRIO_CONTROL */
#define VIF_SKB_PRIORITY_CONTROL 7

/**
 * struct vif_mark - a value that is written to packets: a number, or some of its bits
 * @bits: value and mask; the bits of the mask are written; without a mask nothing is written
 * @force: it replaces the values of VIFs below
 */
struct vif_mark {
	struct {
		u32 value;
		u32 mask;
	} bits;
	u32 force;
};

/**
 * struct vif_quota - a quota; all zero: none
 * @bytes: the size: bytes that may pass
 * @left: bytes that are left, at most @bytes
 * @then: limit when none are left, in bytes per second, or VIF_QUOTA_STOP
 */
struct vif_quota {
	u64 bytes;
	u64 left;
	u64 then;
};

/**
 * struct vif_params - all parameters of a VIF in one direction
 * @kept: parameters for which each VIF has memory
 * @bandwidth: bytes per second, VIF_RATE_MAX for no clock
 * @minimum: bytes per second, 0 for none
 * @class: up to VIF_CLASS_MAX, 0 for none
 * @group: up to VIF_GROUP_MAX, 0 for none
 * @fair: an enum netnice_fair
 * @quota: stored in struct vif_extra (queue/meter.h), which few VIFs have
 *
 * Members are compared by memcmp(), so none has padding.
 */
struct vif_params {
	__struct_group(vif_params_kept, kept, /* no attributes */,
		u64 bandwidth;
		u64 minimum;
		struct vif_burst burst;
		u32 weight;
		u32 priority;
		u32 local_weight;
		u32 local_priority;
		struct vif_limit limit;
		struct vif_aqm aqm;
		struct vif_link link_layer;
		u32 class;
		struct vif_mark dscp;
		struct vif_mark mark;
		struct vif_mark skb_priority;
		u32 group;
		u32 fair;
	);
	struct vif_quota quota;
};

/* The parameters of a new VIF. */
extern const struct vif_params vif_params_initial;

/*
 * VIF_PARAM_LIST - PARAM(ID, name, kind, restrains, initial, syntax, right) for each parameter
 * @name: name of the file, and of the member of struct vif_params
 * @kind: its syntax, defined in params.c
 * @restrains: the VIF's owner alone must not change it: see struct nnfs_file
 * @initial: its value in vif_params_initial, as text
 * @syntax: its syntax, for a table that users read
 * @right: its syntax, for an error sentence
 *
 * The last three are for tools. Tools set a VIF's parameters in this order, because a bandwidth
 * begins with the burst that is already set.
 */
#define VIF_PARAM_LIST(PARAM)							\
	PARAM(BURST, burst, burst, true, "auto", "TIME | SIZE | auto",		\
	      "a time up to 3600s (5ms), a size up to 4GiB (64k), or auto")	\
	PARAM(BANDWIDTH, bandwidth, rate, true, "max", "RATE | max",		\
	      "a rate from 8kbit to 400gbit (256k, 1.5mbit, 2MB/s), or max")	\
	PARAM(MINIMUM, minimum, minimum, true, "none", "RATE | none",		\
	      "a rate from 8kbit to 400gbit (256k, 1.5mbit, 2MB/s), or none")	\
	PARAM(WEIGHT, weight, weight, true, "100", "1..10000",			\
	      "a whole number from 1 to 10000")					\
	PARAM(PRIORITY, priority, priority, true, "4", "0..7, 0 comes first",	\
	      "a whole number from 0 (first) to 7")				\
	PARAM(LOCAL_WEIGHT, local_weight, weight, false, "100", "1..10000",	\
	      "a whole number from 1 to 10000")					\
	PARAM(LOCAL_PRIORITY, local_priority, priority, false, "4", "0..7",	\
	      "a whole number from 0 (first) to 7")				\
	PARAM(LIMIT, limit, limit, true, "auto", "SIZE | PACKETSp | max | auto", \
	      "a size below 4GiB (64k), packets up to 1000000 (100p), max, or auto") \
	PARAM(AQM, aqm, aqm, false, "codel",					\
	      "codel [target TIME] [interval TIME] [no-ack-filter] | none | auto",	\
	      "codel [target TIME] [interval TIME] [no-ack-filter] with times from 1us to 10s and the target below the interval, none, or auto") \
	PARAM(FAIR, fair, fair, false, "flow", "flow | dual-srchost | dual-dsthost",	\
	      "flow, dual-srchost or dual-dsthost")				\
	PARAM(LINK_LAYER, link_layer, link_layer, true, "none",			\
	      "[overhead BYTES] [mpu BYTES] [atm | ptm | noatm] | none",	\
	      "[overhead BYTES] [mpu BYTES] [atm | ptm | noatm] with an overhead from -64 to 256 and an mpu from 0 to 256, or none") \
	PARAM(GROUP, group, group, true, "none", "1..65535 | none",		\
	      "a whole number from 1 to 65535, or none")			\
	PARAM(CLASS, class, class, true, "none", "1..15 | none",		\
	      "a whole number from 1 to 15, or none")				\
	PARAM(DSCP, dscp, vif_dscp, false, "none", "0..63 [force] | NAME [force] | none", \
	      "a whole number from 0 to 63 or a name (ef, cs1, af21, le, va) with or without force, or none") \
	PARAM(MARK, mark, vif_mark, false, "none", "VALUE[/MASK] [force] | none",	\
	      "VALUE or VALUE/MASK, whole numbers of 32 bits, 0x before hexadecimal ones, with or without force, or none") \
	PARAM(SKB_PRIORITY, skb_priority, vif_skb_priority, false, "none", "NUMBER [force] | none", \
	      "a whole number of 32 bits other than 7, 0x before a hexadecimal one, with or without force, or none") \
	PARAM(QUOTA, quota, vif_quota, true, "none",				\
	      "SIZE then RATE|stop [left SIZE] | none",				\
	      "a size up to 1024TiB, then, and a rate from 8kbit to 400gbit or stop (10GB then 256k), with or without left and what is left of it, or none")

#define VIF_PARAM_ID(ID, ...) VIF_PARAM_##ID,
enum vif_param_id {
	VIF_PARAM_LIST(VIF_PARAM_ID)
	VIF_PARAMS
};
#undef VIF_PARAM_ID

/**
 * struct vif_param_kind - the syntax of a kind of values
 * @what: a noun for a value, for error sentences
 * @words: the maximum number of words
 * @sent_only: it is for egress only: "VALUE" sets egress
 * @parse: returns 0, -EINVAL or -ERANGE
 * @print: prints to VIF_PRINT_MAX bytes
 * @accepted: valid values, for error sentences
 */
struct vif_param_kind {
	const char *what;
	unsigned int words;
	bool sent_only;
	int (*parse)(const struct vif_word *words, void *value);
	void (*print)(const void *value, char *buf);
	const char *accepted;
};

/**
 * struct vif_param - a parameter
 * @name: its name
 * @kind: its grammar
 * @offset: of its value in struct vif_params
 * @size: of this
 */
struct vif_param {
	const char *name;
	const struct vif_param_kind *kind;
	size_t offset;
	size_t size;
};

extern const struct vif_param vif_param[VIF_PARAMS];

/* Has it a value for ingress? */
static inline unsigned int vif_param_dirs(enum vif_param_id id)
{
	return vif_param[id].kind->sent_only ? VIF_INGRESS : VIF_DIRS;
}

/**
 * vif_param_parse() - read what is written of a parameter
 * @id: which
 * @text: "VALUE" for both directions, "DIRECTION VALUE", or several of these with white
 *	space between them
 * @params: where to put it, for each direction; no more than this value changes
 * @dirs: directions that are mentioned, a bit for each
 * @bad: the word to blame for an error, or words
 *
 * Return: 0, -ENODATA nothing there or a direction without a value, -EEXIST a direction
 *	is given two values, or one with too many words, -EINVAL no such value, -ERANGE
 *	out of range.
 */
int vif_param_parse(enum vif_param_id id, const char *text,
		    struct vif_params params[VIF_DIRS], unsigned int *dirs,
		    struct vif_word *bad);

/**
 * vif_param_print() - print a parameter exactly
 * @id: which
 * @params: has it
 * @buf: VIF_PRINT_MAX bytes
 */
void vif_param_print(enum vif_param_id id, const struct vif_params *params, char *buf);

/**
 * struct vif_field - a part of a parameter, as a netlink attribute
 * @attr: a NETNICE_A_DIR_*
 * @always: the attribute is always present, even if the field has its initial value
 * @len: length of the attribute, a copy of the member; 0: a flag. If it is less than @size, the
 *	other bytes of the member are all ones when the attribute is present
 * @size: size of the member
 * @offset: offset of the member in struct vif_params
 */
struct vif_field {
	unsigned short attr;
	bool always;
	unsigned char len;
	unsigned char size;
	unsigned char offset;
};

#define VIF_FIELDS	31

extern const struct vif_field vif_field[VIF_FIELDS];

#endif
