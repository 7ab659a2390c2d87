#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=ynl, kernels=new, budget=3
#
# libnetnice(3): the library, with sanitizers, and its bindings for Python.
. "$(dirname "$0")/lib.sh"

begin
need netnice
setup_veth

# functions: what library.c says; a report of the sanitizers is on standard error
functions() {
	local verdict sentence
	"$net_dir/library" eth0 >"$tmp/said" 2>"$tmp/errors"
	ok 'the program ends well' test $? = 0
	while read -r verdict sentence; do
		case $verdict in
		ok) pass "$sentence" ;;
		not) fail "${sentence#ok }" ;;
		'#') note "$sentence" ;;
		esac
	done <"$tmp/said"
	head -n 20 "$tmp/errors" | sed 's/^/# /'
	ok 'the library prints nothing, and the sanitizers found nothing' test ! -s "$tmp/errors"
	check_eq 'nothing is left' "$(find /proc/network/eth0 -mindepth 1 -type d)" ''
}

# limited: the VIF of the process that runs now, and its bandwidth
limited='readlink /proc/network/tasks/self/eth0; cat /proc/network/eth0/limit.*/bandwidth'

python() {
	local said
	said=$(python3 "$net_dir/../units/limit.py" eth0 bash -c "$limited" 2>&1)
	says_in 'Python: a command is limited' "$said" eth0/limit. 'egress 1mbit' 'ingress 1mbit'
	check_eq 'Python: its VIF ends with it' "$(find /proc/network/eth0 -mindepth 1 -type d)" ''
	said=$(python3 - 2>&1 <<-'EOF'
		import os, netnice
		with netnice.open() as nn:
		    nn.watch()
		    try:
		        with nn.transaction():
		            nn.create("eth0/p")
		            nn.set("eth0/p", weight=3, bandwidth="1mbit")
		            nn.attach("eth0/p", "process", os.getpid())
		            print(nn.vifs("eth0"), nn.get("eth0/p", "weight"), nn.attachments("eth0")[0].name)
		            nn.create("eth0/p")
		    except FileExistsError as error:
		        print(error.filename, nn.vifs("eth0"))
		    print(next(nn.events()).name)
	EOF
	)
	check_eq 'Python: a transaction is undone' "$said" \
		"['eth0/p'] 3 python3"$'\n'"eth0/p []"$'\n''vif-new'
	said=$(python3 - 2>&1 <<-'EOF'
		import os, signal, socket, struct, netnice
		def attribute(number, text):
		    return struct.pack("=HH", 5 + len(text), number) + text + b"\0" * (4 - len(text) % 4)
		def forge(fd, command):
		    """Send an event about a VIF that does not exist."""
		    with socket.socket(fileno=os.dup(fd)) as to:
		        pid = to.getsockname()[0]
		    event = struct.pack("=BBH", command, 1, 0) + attribute(2, b"eth0") + attribute(3, b"forged")
		    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16) as sock:
		        sock.sendto(struct.pack("=IHHII", 16 + len(event), 64, 0, 0, 0) + event, (pid, 0))
		def fails(kind, call):
		    try:
		        call()
		    except kind as error:
		        return str(error)
		def close():
		    with netnice.open() as nn, nn.transaction():
		        nn.create("eth0/p")
		        nn.close()
		print(fails(ValueError, close))
		nn = netnice.open()
		print(fails(ValueError, lambda: nn.create("eth0/p\0/../x")), fails(ValueError, lambda: nn.get("eth0", "stat\0")))
		print(nn.vifs("eth0"))
		forge(nn.watch(), 4)
		signal.signal(signal.SIGALRM, lambda *_: netnice.open().create("eth0/p"))
		signal.setitimer(signal.ITIMER_REAL, 0.1)
		event = next(nn.events())
		print(event.name, event.vif)
		nn.attach("eth0/p", "process", os.getpid())
		netnice._to_attachment = lambda _: 1 / 0
		print(fails(ZeroDivisionError, nn.attachments))
		nn.detach("eth0/p", "process", os.getpid())
		nn.remove("eth0/p")
	EOF
	)
	check_eq 'Python: wrong use, a forged event, and a signal' "$said" "the handle is closed
embedded null character embedded null character
[]
vif-new eth0/p
division by zero"
}

functions
python
