/* SPDX-License-Identifier: GPL-2.0 */
/* Subordinate users: users of user namespaces, of which /etc/subuid gives each user tens of thousands. */
#ifndef SUBUID_H
#define SUBUID_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * subuid_find - find the range of /etc/subuid that has a user
 * @uid: the user
 * @first: set to the first user of the range
 *
 * The file is read again when it has changed.
 *
 * Return: false: @uid is in no range.
 */
bool subuid_find(uid_t uid, uid_t *first);

/* Return the user that is charged, where each user may have a number of something: the first of the range. */
static inline uid_t subuid_payer(uid_t uid)
{
	uid_t first;

	return subuid_find(uid, &first) ? first : uid;
}

/*
 * Return the account of a user: of a subordinate one the owner of the range. If the owner is root, or is not in
 * /etc/passwd, the range counts as one account, that of its first user.
 */
uid_t subuid_account(uid_t uid);

#endif
