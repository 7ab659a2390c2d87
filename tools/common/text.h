/* SPDX-License-Identifier: GPL-2.0 */
/* Text that people have written. */
#ifndef NETNICE_TEXT_H
#define NETNICE_TEXT_H

/* @text, changed, without the white space before and behind it. */
char *text_trim(char *text);

#endif
