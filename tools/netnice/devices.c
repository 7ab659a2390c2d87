// SPDX-License-Identifier: GPL-2.0
/* Select the devices on which VIFs are created if there is no -i. */
#include "devices.h"

#include <string.h>

#include "complain.h"
#include "route.h"

static void warn_no_vif(const char *dev, const char *consequence)
{
	complain("%s: this device has no VIF%s%s", dev,
		 nnfs_is_reserved(dev) ? " (its name is reserved)" : "",
		 consequence);
}

static int add_device(struct netdev_list *devs, const char *dev)
{
	if (!netdev_list_add(devs, dev))
		return 0;
	complain_errno("%s", dev);
	return -1;
}

/* Devices that are up, and said aloud where one stays without limit. */
static int default_devices(const struct nnfs *fs, struct netdev_list *devs)
{
	struct netdev_list up = { 0 };
	int ret = netdev_list_add_up(&up), left_out = 0;

	if (ret)
		complain_errno("cannot list the network devices");
	for (size_t i = 0; !ret && i < up.count; i++) {
		if (nnfs_has_device(fs, up.name[i])) {
			ret = add_device(devs, up.name[i]);
		} else {
			warn_no_vif(up.name[i], ": not limited there");
			left_out = 1;
		}
	}
	netdev_list_free(&up);
	if (ret || devs->count)
		return ret ?: left_out;
	complain("no device is up (lo is ignored; give a device with -i)");
	return -1;
}

static int named_devices(const struct nnfs *fs, const struct netdev_list *named,
			 struct netdev_list *devs)
{
	for (size_t i = 0; i < named->count; i++) {
		if (!nnfs_has_device(fs, named->name[i])) {
			warn_no_vif(named->name[i], "");
			return -1;
		}
		if (add_device(devs, named->name[i]))
			return -1;
	}
	return 0;
}

/* A stack is on one device. */
static int usual_device(const struct nnfs *fs, struct netdev_list *devs)
{
	struct netdev_list usual = { 0 };
	char name[IF_NAMESIZE];
	int ret;

	if (!route_usual_device(name)) {
		complain("there is no default route: give a device with -i");
		return -1;
	}
	ret = add_device(&usual, name);
	if (!ret)
		ret = named_devices(fs, &usual, devs);
	netdev_list_free(&usual);
	return ret;
}

int devices_choose(const struct nnfs *fs, const struct netdev_list *named, bool one,
		   struct netdev_list *devs)
{
	if (named->count)
		return named_devices(fs, named, devs);
	return one ? usual_device(fs, devs) : default_devices(fs, devs);
}

int devices_all(const struct nnfs *fs, struct netdev_list *devs)
{
	struct if_nameindex *all = if_nameindex();
	int ret = all ? 0 : -1;

	if (ret)
		complain_errno("cannot list the network devices");
	for (size_t i = 0; !ret && all[i].if_name; i++)
		if (nnfs_has_device(fs, all[i].if_name))
			ret = add_device(devs, all[i].if_name);
	if (all)
		if_freenameindex(all);
	return ret;
}
