/* SPDX-License-Identifier: GPL-2.0 */
/* The lower part of the screen of "vifctl top": sockets of a VIF, or their processes. */
#ifndef VIFCTL_TOP_SCREEN_SOCKETS_H
#define VIFCTL_TOP_SCREEN_SOCKETS_H

#include "canvas.h"
#include "top_sockets.h"
#include "top_view.h"

#define GAP	1	/* between columns */

/* Return the number of lines for them, with the header; 0: there are too few lines, or nothing to show. */
int top_screen_socket_lines(const struct canvas *canvas, const struct top_view *view,
			    const struct top_sockets *sockets);

/* Draw them. @sockets: NULL: unknown; @path: the VIF; @lines: from top_screen_socket_lines() */
void top_screen_put_sockets(struct canvas *canvas, const struct top_sockets *sockets,
			    const struct top_view *view, const char *path, int lines);

#endif
