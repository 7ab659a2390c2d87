// SPDX-License-Identifier: GPL-2.0
#include "option.h"

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "../queue/windows.h"
#include "error.h"
#include "net.h"

DEFINE_STATIC_KEY_FALSE(vif_option_program);
DEFINE_STATIC_KEY_FALSE(vif_option_stack);

/**
 * struct vif_option_kind - what the core knows of an option that is not loaded
 * @name: the module is netnice_NAME
 * @key: on while it is loaded, so that packets pay nothing before; NULL: no packet asks
 */
static const struct vif_option_kind {
	const char *name;
	struct static_key_false *key;
} vif_option_kind[VIF_OPTIONS] = {
	[VIF_OPTION_PROGRAM] = { "program", &vif_option_program },
	[VIF_OPTION_RELAY] = { "relay" },
	[VIF_OPTION_STACK] = { "stack", &vif_option_stack },
	[VIF_OPTION_WINDOW] = { "window", &vif_windows_key },
};

/* The options that may be used, as bits. */
static unsigned long vif_option_allowed = BIT(VIF_OPTIONS) - 1;

static int vif_option_by_name(const char *name)
{
	int i;

	for (i = 0; i < VIF_OPTIONS; i++)
		if (!strcmp(vif_option_kind[i].name, name))
			return i;
	return -EINVAL;
}

static int vif_option_set_allowed(const char *text, const struct kernel_param *param)
{
	char *copy = kstrdup(text, GFP_KERNEL), *rest, *name;
	unsigned long bits = 0;
	int i = 0;

	if (!copy)
		return -ENOMEM;
	rest = strim(copy);
	while (i >= 0 && (name = strsep(&rest, ","))) {
		if (!*name)
			continue;
		i = vif_option_by_name(name);
		if (i >= 0)
			bits |= BIT(i);
	}
	kfree(copy);
	if (i < 0)
		return i;
	WRITE_ONCE(vif_option_allowed, bits);
	return 0;
}

static int vif_option_get_allowed(char *buf, const struct kernel_param *param)
{
	unsigned long bits = READ_ONCE(vif_option_allowed);
	unsigned int i;
	int len = 0;

	for (i = 0; i < VIF_OPTIONS; i++)
		if (bits & BIT(i))
			len += scnprintf(buf + len, PAGE_SIZE - len, "%s%s", len ? "," : "",
					 vif_option_kind[i].name);
	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static const struct kernel_param_ops vif_option_allowed_ops = {
	.set = vif_option_set_allowed,
	.get = vif_option_get_allowed,
};

module_param_cb(options, &vif_option_allowed_ops, NULL, 0644);
MODULE_PARM_DESC(options, "options that may be used, each a module of its own; default: all");

/* Changed under the lock, and read under it or by packets. */
static const struct vif_option __rcu *vif_option_at[VIF_OPTIONS];
static DEFINE_SPINLOCK(vif_option_lock);

static bool vif_option_is_allowed(enum vif_option_id id)
{
	return READ_ONCE(vif_option_allowed) & BIT(id);
}

int vif_option_register(const struct vif_option *option)
{
	if (!vif_option_is_allowed(option->id))
		return -EPERM;
	/* an upgrade replaces the files of both, while the core stays loaded */
	if (strcmp(option->owner->version, THIS_MODULE->version)) {
		pr_err("netnice: the module netnice_%s has version %s, and the loaded netnice %s: load netnice again, or restart the machine\n",
		       vif_option_kind[option->id].name, option->owner->version,
		       THIS_MODULE->version);
		return -ENOEXEC;
	}
	/* first: what the option makes is in force at once */
	if (vif_option_kind[option->id].key)
		static_branch_enable(vif_option_kind[option->id].key);
	spin_lock(&vif_option_lock);
	rcu_assign_pointer(vif_option_at[option->id], option);
	spin_unlock(&vif_option_lock);
	return 0;
}

void vif_option_unregister(const struct vif_option *option)
{
	if (vif_option_kind[option->id].key)
		static_branch_disable(vif_option_kind[option->id].key);
	spin_lock(&vif_option_lock);
	RCU_INIT_POINTER(vif_option_at[option->id], NULL);
	spin_unlock(&vif_option_lock);
	/* packets may be in it */
	synchronize_rcu();
}

const struct vif_option *vif_option_find(enum vif_option_id id)
{
	const struct vif_option *option;

	spin_lock(&vif_option_lock);
	option = rcu_dereference_protected(vif_option_at[id], lockdep_is_held(&vif_option_lock));
	if (option && !try_module_get(option->owner))
		option = NULL;
	spin_unlock(&vif_option_lock);
	return option;
}

const struct vif_option *vif_option_rcu(enum vif_option_id id)
{
	return rcu_dereference(vif_option_at[id]);
}

const struct vif_option *vif_option_try(struct vif_net *vn, enum vif_option_id id)
{
	const struct vif_option *option;

	if (!vif_option_is_allowed(id))
		return ERR_PTR(-EPERM);
	option = vif_option_find(id);
	if (option)
		return option;
	/* root may have given it VIFs, but it has no modules loaded */
	if (!vif_net_admits(vn->user_ns))
		return ERR_PTR(-EACCES);
	request_module("netnice_%s", vif_option_kind[id].name);
	return vif_option_find(id) ?: ERR_PTR(-EOPNOTSUPP);
}

const struct vif_option *vif_option_load(struct vif_net *vn, enum vif_option_id id)
{
	const struct vif_option *option = vif_option_try(vn, id);
	const char *name = vif_option_kind[id].name;

	if (!IS_ERR(option))
		return option;
	switch (PTR_ERR(option)) {
	case -EPERM:
		return ERR_PTR(vif_fail(vn, -EPERM,
					"%s: the administrator does not allow it: the parameter options of the module netnice does not list it",
					name));
	case -EACCES:
		return ERR_PTR(vif_fail(vn, -EPERM,
					"%s: the module netnice_%s is not loaded, and a network namespace of a user namespace may not load it: run \"modprobe netnice_%s\" on the host",
					name, name, name));
	default:
		return ERR_PTR(vif_fail(vn, -EOPNOTSUPP,
					"%s: the module netnice_%s is not installed, or does not load: as root, \"modprobe netnice_%s\" says why",
					name, name, name));
	}
}

void vif_option_put(const struct vif_option *option)
{
	if (option)
		module_put(option->owner);
}
