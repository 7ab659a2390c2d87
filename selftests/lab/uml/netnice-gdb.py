# SPDX-License-Identifier: GPL-2.0
"""gdb commands for netnice in a User Mode Linux.

guest    run until the module is loaded, and know its symbols
waiting  run until the drain takes a packet that waited; show its VIF
vif      there, the VIF whose `node` it is, and how many `bytes` leave
way      run until a function has been called some times, then step through it: the
         module's files and functions that it goes through
"""
import os
import re
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
    path = os.path.join(os.path.dirname(MODULE), module["name"].string() + ".ko")
    gdb.execute("add-symbol-file %s %#x %s" % (path, addresses[".text"], rest), to_string=True)


class Options(gdb.Breakpoint):
    """Know the symbols of netnice's options, which are loaded later."""

    def __init__(self):
        super().__init__("do_init_module", internal=True)

    def stop(self):
        module = gdb.parse_and_eval("mod")
        if module["name"].string().startswith("netnice_"):
            add_symbols(module)
        return False


class Guest(gdb.Command):
    """Run until netnice is loaded, before its first line runs."""

    def __init__(self):
        super().__init__("guest", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.execute('tbreak do_init_module if $_streq(mod->name, "netnice")')
        gdb.execute("run")
        add_symbols(gdb.parse_and_eval("mod"))
        Options()
        print("netnice is loaded; its symbols are known")


class Waiting(gdb.Command):
    """Run until a packet that waited is about to leave, and show whose it is."""

    def __init__(self):
        super().__init__("waiting", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.execute("tbreak vif_shaper_drain_timer")
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
        direction = int(side["dir"])
        vif = container(side - direction, "struct vif", "side")
        device = container(shaper - direction, "struct vif_dev", "shaper")["dev"]
        path = []
        while vif["parent"]:
            path.insert(0, vif["name"]["text"].cast(gdb.lookup_type("char").pointer()).string())
            vif = vif["parent"]
        path.insert(0, device["name"].string())
        print("VIF %s, %s: %s bytes leave" % ("/".join(path), ("egress", "ingress")[direction],
                                              gdb.parse_and_eval("bytes")))


class Way(gdb.Command):
    """way CALLS FUNCTION [if CONDITION]: step through the module's part of a later call."""

    def __init__(self):
        super().__init__("way", gdb.COMMAND_RUNNING)

    @staticmethod
    def register(name):
        return int(gdb.parse_and_eval("(unsigned long)$" + name))

    @staticmethod
    def place(pc):
        """The file below the top, and the function; None for what headers of the kernel's have."""
        symtab = gdb.find_pc_line(pc).symtab
        block = gdb.block_for_pc(pc)
        while block and not block.function:
            block = block.superblock
        name = symtab.fullname()
        for room in ("/vif/", "/sched/", "/procfs/"):
            if room in name:
                return room[1:] + name.split(room, 1)[1], str(block.function) if block else "?"
        return None

    def invoke(self, argument, from_tty):
        calls, call = argument.split(None, 1)
        stop = gdb.Breakpoint(call, internal=True)
        stop.ignore_count = int(calls)
        gdb.execute("set suppress-cli-notifications on")
        gdb.execute("continue", to_string=True)
        stop.delete()
        end, top = int(gdb.selected_frame().older().pc()), self.register("sp")
        files, steps = {}, 0
        while self.register("pc") != end or self.register("sp") < top:
            pc = self.register("pc")
            symtab = gdb.find_pc_line(pc).symtab
            if symtab and re.search(r"/netnice(_[a-z]+)?\.ko$", symtab.objfile.filename):
                where = self.place(pc)
                if where:
                    files.setdefault(where[0], set()).add(where[1])
                steps += 1
                gdb.execute("stepi", to_string=True)
            else:
                # the kernel's: until it returns here
                back = int(gdb.parse_and_eval("*(unsigned long *)$sp"))
                gdb.execute("tbreak *%#x" % back, to_string=True)
                gdb.execute("continue", to_string=True)
        for name in sorted(files):
            print("%s: %s" % (name, " ".join(sorted(files[name]))))
        print("%s: %d instructions of the module in %d files, of which %d are headers" %
              (call.split()[0], steps, len(files), sum(name.endswith(".h") for name in files)))


for name in SIGNALS.split():
    gdb.execute("handle %s nostop noprint pass" % name, to_string=True)
for setting in ("pagination off", "confirm off", "breakpoint pending off",
                "startup-with-shell off", "print inferior-events off"):
    gdb.execute("set " + setting)
Guest()
Waiting()
Vif()
Way()
print("commands: guest, waiting, vif, way; and all of gdb's")
