// SPDX-License-Identifier: GPL-2.0
#include "route.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Looks at a default route that leads somewhere. What is not 0 ends it. */
typedef int (*route_look)(const char *dev, unsigned long metric, void *arg);

/* The last column but three is the metric. */
static int each_default4(route_look look, void *arg)
{
	FILE *file = fopen("/proc/net/route", "re");
	char line[256], dev[IF_NAMESIZE];
	unsigned long to, flags, metric, mask;
	int ret = 0;

	while (!ret && file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%15s %lx %*s %lx %*s %*s %lu %lx", dev, &to, &flags, &metric,
			   &mask) == 5 && !to && !mask && (flags & 1) && strcmp(dev, "*"))
			ret = look(dev, metric, arg);
	if (file)
		fclose(file);
	return ret;
}

static int each_default6(route_look look, void *arg)
{
	FILE *file = fopen("/proc/net/ipv6_route", "re");
	char line[256], dev[IF_NAMESIZE];
	unsigned long bits, flags, metric;
	int ret = 0;

	while (!ret && file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%*s %lx %*s %*s %*s %lx %*s %*s %lx %15s", &bits, &metric,
			   &flags, dev) == 4 && !bits && (flags & 1) && strcmp(dev, "lo"))
			ret = look(dev, metric, arg);
	if (file)
		fclose(file);
	return ret;
}

/* The first of the best ones */
struct best {
	char *name;
	unsigned long metric;
};

static int look_for_best(const char *dev, unsigned long metric, void *arg)
{
	struct best *best = arg;

	if (metric < best->metric) {
		best->metric = metric;
		snprintf(best->name, IF_NAMESIZE, "%s", dev);
	}
	return 0;
}

bool route_usual_device(char name[IF_NAMESIZE])
{
	struct best best = { .name = name, .metric = ULONG_MAX };

	each_default4(look_for_best, &best);
	if (best.metric == ULONG_MAX)
		each_default6(look_for_best, &best);
	return best.metric != ULONG_MAX;
}

static int add(const char *dev, unsigned long metric, void *list)
{
	(void)metric;
	return netdev_list_add(list, dev);
}

int route_add_default(struct netdev_list *list)
{
	return each_default4(add, list) || each_default6(add, list) ? -1 : 0;
}
