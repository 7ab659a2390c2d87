// SPDX-License-Identifier: GPL-2.0
/* A line that names the format, then for each interval a header and its messages. */
#include "top_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "netlink.h"

static const char magic[] = "netnice top 1\n";

/* Much more than 100,000 VIFs need: bounds the memory that a file can request. */
#define LOOK_BYTES_MAX	(256UL << 20)

struct look {
	uint64_t time_ns;
	uint64_t bytes;
};

int top_record_create(struct top_record *record, const char *path)
{
	record->file = fopen(path, "we");
	if (record->file && fputs(magic, record->file) >= 0)
		return 0;
	complain_errno("top: %s", path);
	return -1;
}

int top_record_open(struct top_record *record, const char *path)
{
	char text[sizeof(magic)] = "";

	record->file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!record->file) {
		complain_errno("top: %s", path);
		return -1;
	}
	if (fgets(text, sizeof(text), record->file) && !strcmp(text, magic))
		return 0;
	complain("top: %s: no record of vifctl top", path);
	return -1;
}

int top_record_write(struct top_record *record, uint64_t time_ns, const char *messages,
		     size_t size)
{
	const struct look look = { .time_ns = time_ns, .bytes = size };

	if (fwrite(&look, sizeof(look), 1, record->file) == 1 &&
	    fwrite(messages, 1, size, record->file) == size && !fflush(record->file))
		return 0;
	return -1;
}

static int take_messages(struct vif_list *list, const char *messages, size_t size)
{
	const struct nlmsghdr *message = (const void *)messages;
	int left = size;

	for (; netlink_is_whole(message, left); message = mnl_nlmsg_next(message, &left))
		if (vif_list_take(list, message, VIF_COUNTERS) < 0)
			return -1;
	if (left > 0) {
		errno = EBADMSG;
		return -1;
	}
	/* the VIFs that were asked for have none above them here */
	for (size_t i = 0; i < list->count; i++)
		list->vif[i].is_top = true;
	return 0;
}

int top_record_read(struct top_record *record, struct vif_list *list, uint64_t *time_ns)
{
	struct look look;
	char *messages;
	int ret = -1;

	if (fread(&look, sizeof(look), 1, record->file) != 1)
		return 1;
	errno = EFBIG;
	messages = look.bytes < LOOK_BYTES_MAX ? malloc(look.bytes + 1) : NULL;
	/* the last one may not have been written to its end */
	if (messages && fread(messages, 1, look.bytes, record->file) != look.bytes)
		ret = 1;
	else if (messages)
		ret = take_messages(list, messages, look.bytes);
	free(messages);
	*time_ns = look.time_ns;
	return ret;
}

void top_record_close(struct top_record *record)
{
	if (record->file && record->file != stdin)
		fclose(record->file);
	record->file = NULL;
}
