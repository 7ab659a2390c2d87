// SPDX-License-Identifier: GPL-2.0
/*
 * The service manager's units take away the same capabilities (CapabilityBoundingSet=). This holds
 * where the administrator, a container or another service manager starts the program.
 */
#include "privilege.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "complain.h"

/* The kernel takes sets of 64 capabilities as two words, the lower one first. */
#define WORDS	_LINUX_CAPABILITY_U32S_3

/* Return: whether the caller has a capability that is not in @kept. */
static int restrict_to(struct __user_cap_data_struct set[WORDS], uint64_t kept)
{
	int has_more = 0;

	for (int i = 0; i < WORDS; i++) {
		const uint32_t word = kept >> (32 * i);

		has_more |= (set[i].permitted | set[i].inheritable) & ~word;
		set[i].permitted &= word;
		set[i].effective &= word;
		set[i].inheritable = 0;
	}
	return has_more;
}

/* Without CAP_SETPCAP the bounding set stays. No new privileges can be gained from it. */
static void bound(uint64_t kept)
{
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		if (cap >= 64 || !(kept & PRIVILEGE(cap)))
			prctl(PR_CAPBSET_DROP, cap);
}

int privilege_keep(uint64_t kept)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct set[WORDS];

	bound(kept);
	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !syscall(SYS_capget, &header, set) &&
	    (!restrict_to(set, kept) || !syscall(SYS_capset, &header, set)))
		return 0;
	complain_errno("giving up privileges");
	return -1;
}
