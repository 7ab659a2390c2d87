// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl export: counters, limits and owners of VIFs, for Prometheus. The file system is not kept
 * open, so that the module can be unloaded and loaded again meanwhile.
 */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attached.h"
#include "complain.h"
#include "exported.h"
#include "failure.h"
#include "http.h"
#include "notify.h"
#include "privilege.h"
#include "prometheus.h"
#include "text.h"
#include "words.h"

const char export_help[] =
	"Usage: vifctl export [--listen ADDRESS] [--depth N] [--users N] [dev DEV | PATH]\n"
	"\n"
	"DEV := a network device: its VIF and all below it\n"
	"PATH := a VIF, for example eth0/web: it and all below it\n"
	"ADDRESS := PORT on this machine only, ADDRESS:PORT, [ADDRESS]:PORT, or :PORT\n"
	"--depth: levels below the device or PATH\n"
	"--users: maximum number of VIFs that each user names (default: 20)\n"
	"\n"
	"Prints metrics of VIFs for Prometheus: once; or, with --listen or a socket of the service\n"
	"manager, for each HTTP request of /metrics.";

/* Digits of the number that a container has in the name of its unit, and that people use */
#define CONTAINER_DIGITS	64
#define CONTAINER_SHOWN		12

/* --- limits --- */

enum limit {
	LIMIT_BANDWIDTH,
	LIMIT_MINIMUM,
	LIMIT_QUOTA,
	LIMIT_QUOTA_LEFT,
};

static const struct {
	const char *name;
	const char *help;
} limits[] = {
	[LIMIT_BANDWIDTH] = { "bandwidth_bytes_per_second", "The limit." },
	[LIMIT_MINIMUM] = { "minimum_bytes_per_second", "The guaranteed rate." },
	[LIMIT_QUOTA] = { "quota_bytes", "The quota, if the VIF has one." },
	[LIMIT_QUOTA_LEFT] = { "quota_left_bytes", "The bytes left of the quota." },
};

static bool has_limit(const struct vif_side *side, enum limit limit)
{
	return side->has_quota || (limit != LIMIT_QUOTA && limit != LIMIT_QUOTA_LEFT);
}

static unsigned long long limit_of(const struct vif_side *side, enum limit limit)
{
	switch (limit) {
	case LIMIT_BANDWIDTH:
		return side->bandwidth;
	case LIMIT_MINIMUM:
		return side->minimum;
	case LIMIT_QUOTA:
		return side->quota;
	default:
		return side->quota_left;
	}
}

static void put_limit(FILE *out, const struct vif_list *list, enum limit limit)
{
	prometheus_head(out, limits[limit].name, "gauge", limits[limit].help);
	for (size_t i = 0; i < list->count; i++) {
		const struct vif_info *vif = &list->vif[i];

		for (int dir = 0; vif->is_readable && dir < VIF_DIRS; dir++) {
			const struct vif_side *side = &vif->side[dir];

			if (!has_limit(side, limit))
				continue;
			prometheus_sample(out, limits[limit].name, vif->path);
			prometheus_label(out, "direction", vif_dir_name[dir]);
			if (limit == LIMIT_BANDWIDTH && !side->bandwidth)
				fputs("} +Inf\n", out);
			else
				fprintf(out, "} %llu\n", limit_of(side, limit));
		}
	}
}

/* --- who they are for --- */

/* The owner's name, or number. VIFs of one owner are mostly next to each other. */
static const char *owner_of(const struct vif_info *vif)
{
	static char known[256], name[256];
	const struct passwd *user;

	if (!strcmp(known, vif->param[PARAM_OWNER]))
		return name;
	snprintf(known, sizeof(known), "%s", vif->param[PARAM_OWNER]);
	user = getpwuid(strtoul(known, NULL, 10));
	if (user)
		snprintf(name, sizeof(name), "%s", user->pw_name);
	else
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(known, ":"), known);
	return name;
}

static bool is_unit(const char *name, size_t length)
{
	static const char *const kinds[] = { ".service", ".scope", ".slice" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const size_t kind = strlen(kinds[i]);

		if (length > kind && !strncmp(name + length - kind, kinds[i], kind))
			return true;
	}
	return false;
}

/* The innermost unit of a control group's path, empty if there is none; to be freed, or NULL. */
static char *unit_of(const char *group)
{
	const char *begin = group, *unit = "";
	size_t length, of_unit = 0;

	while (*begin) {
		length = strcspn(begin, "/");
		if (is_unit(begin, length)) {
			unit = begin;
			of_unit = length;
		}
		begin += length + strspn(begin + length, "/");
	}
	return strndup(unit, of_unit);
}

/* docker-NUMBER.scope, libpod-NUMBER.scope, cri-containerd-NUMBER.scope; or NULL */
static const char *container_of(const char *unit)
{
	const char *number = strrchr(unit, '-');

	if (number && strspn(++number, "0123456789abcdef") == CONTAINER_DIGITS)
		return number;
	return NULL;
}

static void put_group(FILE *out, const char *group)
{
	char *unit = unit_of(group), shown[CONTAINER_SHOWN + 1];
	const char *container = unit ? container_of(unit) : NULL;

	prometheus_label(out, "cgroup", group);
	if (unit && *unit)
		prometheus_label(out, "unit", unit);
	if (container) {
		snprintf(shown, sizeof(shown), "%s", container);
		prometheus_label(out, "container", shown);
	}
	free(unit);
}

static void put_one(FILE *out, const struct vif_info *vif, const char *group)
{
	prometheus_sample(out, "info", vif->path);
	prometheus_label(out, "owner", owner_of(vif));
	if (group)
		put_group(out, group);
	fputs("} 1\n", out);
}

/* One for each control group, or one. */
static void put_whose(FILE *out, const struct vif_info *vif, const struct attachments *attachments)
{
	const struct attached *attached;
	size_t count, groups = 0;

	attached = attachments_of(attachments, vif->id, &count);
	for (size_t i = 0; i < count; i++)
		if (attached[i].kind == TARGET_CGROUP && attached[i].name) {
			put_one(out, vif, attached[i].name);
			groups++;
		}
	if (!groups)
		put_one(out, vif, NULL);
}

/* --- all of it --- */

static void put_left_out(FILE *out, const struct vif_list *list, const unsigned int *left_out)
{
	static const char name[] = "left_out";

	prometheus_head(out, name, "gauge", "VIFs below it that are counted in it only.");
	for (size_t i = 0; i < list->count; i++) {
		if (!left_out[i])
			continue;
		prometheus_sample(out, name, list->vif[i].path);
		fprintf(out, "} %u\n", left_out[i]);
	}
}

static void put_all(FILE *out, const struct vif_list *list, const struct attachments *attachments)
{
	prometheus_counters(out, list);
	for (enum limit limit = 0; limit < sizeof(limits) / sizeof(*limits); limit++)
		put_limit(out, list, limit);
	prometheus_head(out, "info", "gauge", "Whose VIF it is, and what is attached to it.");
	for (size_t i = 0; i < list->count; i++)
		put_whose(out, &list->vif[i], attachments);
}

struct export {
	struct options *options;
	const struct scope *scope;
	struct exported exported;
};

/* Return: 0, or -1 and errno. */
static int put_vifs(FILE *out, struct export *export)
{
	const struct genl *genl = &export->options->genl;
	struct attachments attachments;
	unsigned int *left_out;
	struct vif_list list;
	int ret = vif_list_get(&list, genl, export->scope->path, VIF_SETTINGS | VIF_COUNTERS);

	if (ret)
		return ret;
	left_out = exported_select(&export->exported, &list);
	ret = left_out ? attachments_read(&attachments, genl, export->scope->path) : -1;
	if (!ret) {
		put_all(out, &list, &attachments);
		put_left_out(out, &list, left_out);
		attachments_free(&attachments);
	}
	free(left_out);
	vif_list_free(&list);
	return ret;
}

/*
 * The family has another number each time the module is loaded. A request for an unknown family
 * would load the module, even if the administrator has unloaded it.
 */
static int open_again(struct genl *genl)
{
	genl_close(genl);
	if (!access("/sys/module/netnice", F_OK))
		return genl_open(genl);
	errno = ENODEV;
	return -1;
}

static int put_page(FILE *page, void *arg)
{
	struct export *export = arg;
	struct genl *genl = &export->options->genl;
	int ret = genl->sock ? put_vifs(page, export) : -1;

	if (!ret)
		return 0;
	ret = open_again(genl) ? -1 : put_vifs(page, export);
	if (ret)
		fprintf(page, "# netnice: %s\n", strerror(errno));
	return ret;
}

/* Root's exporter may read VIFs of users, and nothing more. */
static int serve(struct export *export, int sock)
{
	if (privilege_keep(PRIVILEGE(CAP_DAC_READ_SEARCH)))
		return EXIT_KERNEL;
	notify_ready();
	http_serve(sock, put_page, export);
	complain("export: %s", strerror(errno));
	return EXIT_KERNEL;
}

static int take_most(unsigned long *most, const char *option, const char *word)
{
	if (!word || text_number(word, UINT16_MAX, most))
		return EXIT_OK;
	return usage_error("export", "%s: '%s' is no number up to %u", option, word, UINT16_MAX);
}

int export_run(struct options *options, char **words)
{
	const char *address = NULL, *depth = NULL, *of_user = NULL;
	const struct flag flags[] = {
		{ "--listen", .word = &address }, { "--depth", .word = &depth },
		{ "--users", .word = &of_user }, { .name = NULL }
	};
	struct scope scope;
	struct export export = { options, &scope, { EXPORTED_OF_USER, UINT16_MAX, NULL } };
	int status, sock;

	status = words_take_options("export", options, words, flags) ?:
		 take_most(&export.exported.depth, "--depth", depth) ?:
		 take_most(&export.exported.of_user, "--users", of_user) ?:
		 scope_take("export", &scope, words) ?: options_open_genl(options);
	if (status)
		return status;
	sock = address ? http_listen(address) : http_handed_over();
	if (sock >= 0)
		return serve(&export, sock);
	if (address)
		return EXIT_KERNEL;
	status = put_vifs(stdout, &export) ?
		 scope_failed("export", &scope, &options->nn.fs) : EXIT_OK;
	exported_free(&export.exported);
	return status;
}
