/* SPDX-License-Identifier: GPL-2.0 */
/* The lower part of the picture of "vifctl top": sockets of a VIF, or their processes. */
#ifndef VIFCTL_TOP_SCREEN_SOCKETS_H
#define VIFCTL_TOP_SCREEN_SOCKETS_H

#include "canvas.h"
#include "top_sockets.h"
#include "top_view.h"

#define GAP	1	/* between columns */

/* Lines for them, with a head, if there is any use in them */
int top_screen_socket_lines(const struct canvas *canvas, const struct top_view *view,
			    const struct top_sockets *sockets);

/* @sockets: NULL: they could not be found out; @path: the VIF, @lines: as above */
void top_screen_put_sockets(struct canvas *canvas, const struct top_sockets *sockets,
			    const struct top_view *view, const char *path, int lines);

#endif
