/* SPDX-License-Identifier: GPL-2.0 */
/* The screen of "vifctl top". */
#ifndef VIFCTL_TOP_SCREEN_H
#define VIFCTL_TOP_SCREEN_H

#include "canvas.h"
#include "top_list.h"
#include "top_sockets.h"
#include "top_view.h"

/**
 * top_screen_draw - draw the screen
 * @canvas: the canvas, of any size
 * @model: the VIFs
 * @list: the rows
 * @view: the view; its selection is moved to an existing row
 * @sockets: sockets of the selected VIF; NULL: unknown
 */
void top_screen_draw(struct canvas *canvas, const struct top_model *model,
		     const struct top_list *list, struct top_view *view,
		     const struct top_sockets *sockets);

#endif
