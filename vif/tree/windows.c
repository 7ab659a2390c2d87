// SPDX-License-Identifier: GPL-2.0
#include "windows.h"

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>

#include "../queue/windows.h"
#include "net.h"
#include "option.h"

/* After it could not be loaded, no limit tries again for this time: modprobe takes milliseconds. */
#define RETRY	(10 * HZ)

bool vif_windows_on = true;

static unsigned long vif_windows_failed_at;
static bool vif_windows_failed;

/*
 * Switched on, the option is loaded now, or the write is refused. Not so as a parameter of modprobe:
 * the core is not there yet, and the first limit loads the option.
 */
static int vif_windows_switch(const char *text, const struct kernel_param *param)
{
	const struct vif_option *option;
	bool was = vif_windows_on;
	int err = param_set_bool(text, param);

	/* the core must not leave meanwhile */
	if (err || !vif_windows_on || THIS_MODULE->state != MODULE_STATE_LIVE ||
	    !try_module_get(THIS_MODULE))
		return err;
	option = vif_option_load(vif_net_of(current->nsproxy->net_ns), VIF_OPTION_WINDOW);
	if (IS_ERR(option)) {
		err = PTR_ERR(option);
		WRITE_ONCE(vif_windows_on, was);
	} else {
		WRITE_ONCE(vif_windows_failed, false);
		vif_option_put(option);
	}
	module_put(THIS_MODULE);
	return err;
}

static const struct kernel_param_ops vif_windows_param_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = vif_windows_switch,
	.get = param_get_bool,
};

module_param_cb(windows, &vif_windows_param_ops, &vif_windows_on, 0644);
MODULE_PARM_DESC(windows, "lower the TCP windows that are announced, to suit an ingress bandwidth");

void vif_windows_load(struct vif_net *vn)
{
	const struct vif_option *option;

	if (!READ_ONCE(vif_windows_on) || vif_windows_any())
		return;
	if (READ_ONCE(vif_windows_failed) &&
	    time_before(jiffies, READ_ONCE(vif_windows_failed_at) + RETRY))
		return;
	option = vif_option_try(vn, VIF_OPTION_WINDOW);
	if (!IS_ERR(option)) {
		vif_option_put(option);
	} else if (option == ERR_PTR(-EOPNOTSUPP)) {
		WRITE_ONCE(vif_windows_failed_at, jiffies);
		WRITE_ONCE(vif_windows_failed, true);
		pr_warn_once("netnice: the module netnice_window is not installed, or does not load: TCP senders are not asked to send less than a limit lets pass, and packets are dropped instead\n");
	}
}

void __vif_windows_limit(struct vif_dev *vdev)
{
	const struct vif_option *option;

	lockdep_assert_held(&vdev->net->lock);
	vdev->limited = true;
	option = vif_option_find(VIF_OPTION_WINDOW);
	if (option)
		vif_window_ops_of(option)->limit(vdev);
	vif_option_put(option);
}
