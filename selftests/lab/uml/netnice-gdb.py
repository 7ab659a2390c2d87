# SPDX-License-Identifier: GPL-2.0
"""gdb commands for netnice in a User Mode Linux.

guest    run until the module is loaded, and know its symbols
waiting  run until the drain takes a packet that waited; show its VIF
vif      there, the VIF whose `node` it is, and how many `bytes` leave
"""
import os
import gdb

MODULE = os.environ["NETNICE_KO"]

# The kernel's own, by which it makes its page faults and interrupts.
SIGNALS = "SIGSEGV SIGUSR1 SIGUSR2 SIGALRM SIGIO SIGCHLD SIGSYS SIGWINCH"


def sections(module):
    """Names and addresses of a module's sections in memory."""
    attributes = module["sect_attrs"]["grp"]["bin_attrs"]
    i = 0
    while attributes[i]:
        yield attributes[i]["attr"]["name"].string(), int(attributes[i]["private"])
        i += 1


def add_symbols(module):
    addresses = {name: address for name, address in sections(module)}
    rest = " ".join("-s %s %#x" % (name, address)
                    for name, address in addresses.items()
                    if name.startswith((".data", ".bss", ".rodata", ".init.text", ".exit.text")))
    gdb.execute("add-symbol-file %s %#x %s" % (MODULE, addresses[".text"], rest), to_string=True)


class Guest(gdb.Command):
    """Run until netnice is loaded, before its first line runs."""

    def __init__(self):
        super().__init__("guest", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.execute('tbreak do_init_module if $_streq(mod->name, "netnice")')
        gdb.execute("run")
        add_symbols(gdb.parse_and_eval("mod"))
        print("netnice is loaded; its symbols are known")


class Waiting(gdb.Command):
    """Run until a packet that waited is about to leave, and show whose it is."""

    def __init__(self):
        super().__init__("waiting", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.execute("tbreak drain")
        gdb.execute("continue")
        gdb.execute("backtrace 8")
        gdb.execute("tbreak vsched_sent")
        gdb.execute("continue")
        gdb.execute("vif")


def container(pointer, kind, member):
    """The struct whose member a pointer points to."""
    kind = gdb.lookup_type(kind)
    start = pointer.cast(gdb.lookup_type("char").pointer()) - kind[member].bitpos // 8
    return start.cast(kind.pointer())


class Vif(gdb.Command):
    """Print the VIF of the frame's `node`, a node of its `tree`, and its `bytes`."""

    def __init__(self):
        super().__init__("vif", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        shaper = container(gdb.parse_and_eval("tree"), "struct vif_shaper", "tree")
        side = container(gdb.parse_and_eval("node"), "struct vif_side", "node")
        direction = int(shaper["ops"]["dir"])
        vif = container(side - direction, "struct vif", "side")
        device = container(shaper - direction, "struct vif_dev", "shaper")["dev"]
        path = []
        while vif["parent"]:
            path.insert(0, vif["name"]["text"].cast(gdb.lookup_type("char").pointer()).string())
            vif = vif["parent"]
        path.insert(0, device["name"].string())
        print("VIF %s, %s: %s bytes leave" % ("/".join(path), ("egress", "ingress")[direction],
                                              gdb.parse_and_eval("bytes")))


for name in SIGNALS.split():
    gdb.execute("handle %s nostop noprint pass" % name, to_string=True)
for setting in ("pagination off", "confirm off", "breakpoint pending off",
                "startup-with-shell off", "print inferior-events off"):
    gdb.execute("set " + setting)
Guest()
Waiting()
Vif()
print("commands: guest, waiting, vif; and all of gdb's")
