/* SPDX-License-Identifier: GPL-2.0 */
/* Subordinate users: users of user namespaces, of which /etc/subuid gives each user tens of thousands. */
#ifndef SUBUID_H
#define SUBUID_H

#include <sys/types.h>

/**
 * subuid_payer - find the user that is charged, where each user may have a number of something
 * @uid: the user
 *
 * The file is read again when it has changed.
 *
 * Return: the first user of the range of /etc/subuid that has @uid; otherwise @uid.
 */
uid_t subuid_payer(uid_t uid);

#endif
