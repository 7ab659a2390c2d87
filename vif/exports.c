// SPDX-License-Identifier: GPL-2.0
/* The functions of the core that options may call (tree/option.h), in the order of their rooms. */
#include "../procfs/internal.h"
#include "attach/fd_scan.h"
#include "attach/fragment.h"
#include "attach/incoming.h"
#include "attach/resolve.h"
#include "attach/sk_lookup.h"
#include "attach/sock_cookie.h"
#include "attach/target.h"
#include "compat/export.h"
#include "grammar/path.h"
#include "grammar/units.h"
#include "queue/account.h"
#include "queue/ip.h"
#include "queue/p_queue_config.h"
#include "queue/packet.h"
#include "queue/shaper.h"
#include "tree/access.h"
#include "tree/dev.h"
#include "tree/error.h"
#include "tree/event.h"
#include "tree/net.h"
#include "tree/option.h"
#include "tree/param.h"
#include "tree/program.h"
#include "tree/vif.h"

VIF_EXPORT(vif_parse_number);
VIF_EXPORT(vif_path_join);

VIF_EXPORT(p_queue_target_ns);
VIF_EXPORT(vif_account_charge);
VIF_EXPORT(vif_account_most);
VIF_EXPORT(vif_account_uncharge);
VIF_EXPORT(vif_ip_ports);
VIF_EXPORT(vif_ip_read);
VIF_EXPORT(vif_ip_skip);
VIF_EXPORT(vif_packet_tcp_key);
VIF_EXPORT(vif_shaper_set_windows);

VIF_EXPORT(vif_access_admin);
VIF_EXPORT(vif_access_task);
VIF_EXPORT(vif_dev_for_each);
VIF_EXPORT(vif_event);
VIF_EXPORT(vif_fail);
VIF_EXPORT(vif_net_get);
VIF_EXPORT(vif_net_put);
VIF_EXPORT(vif_option_register);
VIF_EXPORT(vif_option_unregister);
VIF_EXPORT(vif_program_users);
VIF_EXPORT(vif_put);
VIF_EXPORT(vif_wq);
VIF_EXPORT(__vif_check_alive);
VIF_EXPORT(__vif_unpin);

VIF_EXPORT(vif_fd_scan_has_owner);
VIF_EXPORT(vif_fd_scan_open);
VIF_EXPORT(vif_fragment_is_kept);
VIF_EXPORT(vif_incoming_send);
VIF_EXPORT(vif_resolve_has_current);
VIF_EXPORT(vif_resolve_has_socket);
#if IS_ENABLED(CONFIG_NF_NAT)
VIF_EXPORT(vif_sk_lookup_answer);
#endif
VIF_EXPORT(vif_sk_lookup_is_local);
VIF_EXPORT(vif_sock_cookie);
VIF_EXPORT(vif_target_attach);
VIF_EXPORT(vif_target_explain);
VIF_EXPORT(__vif_target_retire);

VIF_EXPORT(nnfs_dir_number);
VIF_EXPORT(nnfs_pid_get);
VIF_EXPORT(nnfs_sock_file_get);
