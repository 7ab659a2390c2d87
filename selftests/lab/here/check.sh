#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `lab here` on the machine that it is for, as an ordinary user, who can only read checkout and
# cache: the same bytes, exit status and signals as without it, programs of several kinds,
# and nothing that stays.
#
# usage: check.sh CACHE ROOT
#	CACHE is the laboratory's, ROOT that of the folders in it where slirp4netns is.
#
# shellcheck disable=SC2016
here_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LAB_JOB=here
# shellcheck source=../../net/lib.sh
. "$here_dir/../../net/lib.sh"
lab=$here_dir/../lab
export NETNICE_CACHE=$1
root=$2
PATH=$PATH:/usr/sbin:/sbin
# seconds, on a machine that has much else to do
patience=300

# --- the user ----------------------------------------------------------------------------

# let_in FOLDER: so that the user comes to it, in this process's mounts only
let_in() {
	local part path=''
	IFS=/ read -ra part <<<"${1#/}"
	for part in "${part[@]}"; do
		path+=/$part
		! "${user_prefix[@]}" test -x "$path" || continue
		mkdir -p "$own/over$path/"{upper,work}
		mount -t overlay overlay "$path" \
			-o "lowerdir=$path,upperdir=$own/over$path/upper,workdir=$own/over$path/work" &&
			chmod a+x "$path" || return
	done
}

# begin_as_user: again, with processes of its own, as an ordinary user if this one is none
begin_as_user() {
	local flags=(-m -p --fork --kill-child --mount-proc)
	[ "$(id -u)" = 0 ] || flags+=(-U --map-current-user)
	if ! unshare "${flags[@]}" true; then
		begin
		skip_all 'this user gets no namespaces here'
	fi
	if [ "$(id -u)" = 0 ]; then
		own=$(mktemp -d)
		trap 'rm -rf "$own"' EXIT
		chmod a+x "$own"
		install -d -o 1000 -g 1000 "$own/home"
		export -f let_in
		export own user_prefix_words="${user_prefix[*]}"
		unshare "${flags[@]}" bash -c '
			read -ra user_prefix <<<"$user_prefix_words"
			let_in "$2" && let_in "${1%/*}" || exit
			cd "$own/home" && exec "${user_prefix[@]}" env HOME="$own/home" TMPDIR="$own/home" \
				HERE_USER=1 "$@"' bash "$here_dir/check.sh" "$@"
	else
		HERE_USER=1 unshare "${flags[@]}" "$here_dir/check.sh" "$@"
	fi
	exit
}

[ -n "${HERE_USER-}" ] || begin_as_user "$@"
begin
cd "$tmp" || exit
export TMPDIR=$tmp/jobs
mkdir jobs

here() { timeout -k 5 $patience "$lab" here --no-build "$@"; }

# --- tests -------------------------------------------------------------------------------

# status NAME WANT COMMAND...
status() {
	local name=$1 want=$2 out
	shift 2
	out=$(here --net none "$@" 2>&1 </dev/null)
	check_eq "$name" "$? $out" "$want"
}

starts() {
	local start=${EPOCHREALTIME/./}
	if ! here --net none true >out 2>&1 </dev/null; then
		fail 'it starts' "$(cat out)"
		exit 1
	fi
	pass 'it starts'
	start=${EPOCHREALTIME/./}
	here --net none true
	start=$((${EPOCHREALTIME/./} - start))
	note "the second run takes $((start / 1000)) ms"
}

same() {
	local what='id -u; id -g; pwd; printf "%s\n" "$A_WORD" "$@"; ls /; cat /etc/passwd; stat -c "%u %a" "$HOME"'
	export A_WORD=$'a b\nc'
	check_eq 'user, folder, environment, words, files' "$(here --net none sh -c "$what" sh '' '*' $'d\ne' 2>&1)" \
		"$(sh -c "$what" sh '' '*' $'d\ne')"
	check_eq 'its locale' "$(LC_ALL=C.UTF-8 here --net none sh -c 'echo "$LC_ALL"')" C.UTF-8
	check_eq 'or none' "$(unset LC_ALL; here --net none sh -c 'echo "${LC_ALL-none}"')" none
	here --net none sh -c 'echo out; echo err >&2; echo x >written' >out 2>err
	check_eq 'two outputs' "$(cat out) $(cat err)" 'out err'
	fails 'what it writes is gone' test -e written
	mkdir kept
	here --net none --rw "$PWD/kept" sh -c 'echo x >kept/written'
	check_eq 'but in a folder of --rw' "$(stat -c %u kept/written) $(cat kept/written)" "$(id -u) x"
}

statuses() {
	status 'exit status' '7 ' sh -c 'exit 7'
	status 'no such program' '127 lab here: /none: No such file or directory' /none
	status 'no program' '126 lab here: /etc/passwd: Permission denied' /etc/passwd
	status 'killed' '137 ' sh -c 'kill -9 $$'
	status 'its own options' '0 -h --help' echo -h --help
	ok 'and those of here' grep -q '^usage: lab here' <("$lab" here --net none --help)
}

inputs() {
	local start=${EPOCHREALTIME/./} sum fd
	head -c 20000000 /dev/urandom >data
	sum=$(sha256sum <data)
	check_eq 'standard input, a file' "$(here --net none sha256sum <data)" "$sum"
	check_eq 'and a pipe' "$(head -c 20000000 data | here --net none sha256sum)" "$sum"
	note "20 MB in, twice, take $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
	check_eq 'standard output' "$(here --net none cat data | sha256sum)" "$sum"
	check_eq 'none of it is wanted, and much comes out' \
		"$(yes | here --net none head -c 3000000 /dev/zero | wc -c)" 3000000
	check_eq 'all of it, where it is read late' \
		"$(here --net none head -c 150000 /dev/zero | { head -c 1; sleep 3; wc -c; } | tr -d '\0')" 149999
	mkfifo lines
	here --net none cat <lines >out &
	exec {fd}>lines
	echo one >&$fd
	ok 'a line comes at once' busywait $patience grep -q one out
	echo two >&$fd
	exec {fd}>&-
	wait $!
	check_eq 'and the next one, and the end' "$? $(paste -sd ' ' out)" '0 one two'
}

# begun ARGUMENT...: here, in the background, until its command has said that it is ready
begun() {
	rm -f screen
	here "$@" >screen 2>&1 &
	busywait $patience grep -q ready screen
}

# typed WORDS KEYS COMMAND: of a terminal, where KEYS are typed when WORDS have come
typed() {
	local keys fd
	rm -f keys screen
	mkfifo keys
	exec {fd}<>keys
	script -qefc "timeout --foreground -k 5 $patience '$lab' here --no-build --net none $3" /dev/null <keys >screen 2>&1 &
	busywait $patience grep -q "$1" screen
	printf %s "$2" >&$fd
	wait $!
	keys=$?
	exec {fd}>&-
	return $keys
}

# named NAME: the numbers of all processes with this name, or failure. An empty Debian has no pgrep(1).
named() {
	local file name found=1
	for file in /proc/[0-9]*/comm; do
		{ read -r name <"$file"; } 2>/dev/null || continue
		[ "$name" = "$1" ] || continue
		echo "${file//[!0-9]/}"
		found=0
	done
	return $found
}

# signal_all SIGNAL NAME: sends it to all of them
signal_all() {
	local pid
	for pid in $(named "$2"); do kill "-$1" "$pid" 2>/dev/null; done
}

signals() {
	local signal
	if have 'Ctrl-C comes to the command' script; then
		typed ready $'\x03' 'sh -c "trap \"exit 5\" INT; echo ready; while sleep 0.1; do :; done"'
		check_eq 'Ctrl-C comes to the command' $? 5
		typed ready $'\x03' 'sh -c "echo ready; exec sleep 50"'
		check_eq 'and ends it' $? 130
	fi
	for signal in TERM HUP QUIT USR1 USR2; do
		begun --net none sh -c "trap 'exit 6' $signal; echo ready; while sleep 0.1; do :; done"
		signal_all $signal lab
		wait $!
		check_eq "SIG$signal comes to it, too" $? 6
	done
	{ here --net none yes; echo $? >ended; } > >(sleep 1000) &
	sleep 5
	signal_all TERM lab
	busywait $patience test -s ended
	check_eq 'also if its output is not read' "$(cat ended)" 143
	signal_all TERM sleep
	wait $!
	begun --net none sh -c 'trap "" HUP; echo ready; while sleep 0.1; do :; done'
	signal_all KILL lab
	wait $!
	check_eq 'who kills the lab' $? 137
	ok 'leaves nothing that runs' busywait 10 eval '! named init'
	rm -rf "$TMPDIR"/here.*
	begun --net none sh -c 'echo ready; exec sleep 50'
	# who has started the kernel
	signal_all KILL init
	wait $!
	check_eq 'who kills it' $? 137
}

# --- programs ------------------------------------------------------------------------------

# have NAME PROGRAM
have() {
	command -v "$2" >/dev/null || { skip "$1" "there is no $2"; return 1; }
}

fetches() {
	local port socket what='curl from a server of this machine'
	have "$what" curl && have "$what" python3 || return
	unshare -r true || { skip "$what" 'this user gets no namespaces here'; return; }
	[ -e "$root/added/slirp4netns" ] || { skip "$what" 'there is no slirp4netns'; return; }
	python3 -u -m http.server 0 --bind 127.0.0.1 >server 2>&1 &
	server=$!
	busywait 10 grep -q port server
	port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' server)
	check_eq "$what" "$(here curl -sS "http://10.0.2.2:$port/data" | sha256sum)" "$(sha256sum <data)"
	kill $server
	wait $server
	begun sh -c 'echo ready; exec sleep 50'
	socket=$(tr '\0' ' ' <"/proc/$(named slirp4netns)/cmdline")
	socket=${socket% }
	socket=${socket##* }
	signal_all KILL lab
	wait $!
	ok 'its network ends with the lab' busywait 10 eval '! named slirp4netns'
	rm -rf "$TMPDIR"/here.* "$root${socket%/*}"
}

pair() {
	local what='two of them, with a link' status
	check_eq 'a pair has no gdb' "$(here --pair --gdb true -- true 2>&1; echo $?)" \
		$'lab: --pair has no --gdb: there is one terminal, and two kernels\n2'
	check_eq 'and no other network' "$(here --net user --pair true -- true 2>&1; echo $?)" \
		$'lab: --pair has no --net: its network is the link\n2'
	check_eq 'who is alone has one kernel' "$(here --linux /bin/true --linux /bin/true true 2>&1; echo $?)" \
		$'lab: there are two kernels with --pair only\n2'
	check_eq 'where the first does not start, the second is not tried' \
		"$(here --pair --linux "$(type -P false)" true -- true 2>&1; echo $?)" \
		$'lab here: the kernel did not start\n125'
	have "$what" curl && have "$what" python3 || return
	here --pair python3 -m http.server 8080 --bind :: -- \
		sh -c 'curl -sS --retry 9 --retry-connrefused "$@" | sha256sum; exit 9' sh \
		http://10.0.0.1:8080/data 'http://[fd00::1]:8080/data' >out 2>err
	status=$?
	check_eq "$what, by IPv4 and IPv6" "$status $(tail -n 1 out)" "9 $(cat data data | sha256sum)"
}

serves() {
	local what='nginx, with two workers'
	have "$what" nginx && have "$what" curl || return
	cat >nginx.conf <<-END
		worker_processes 2;
		pid $tmp/nginx.pid;
		error_log stderr;
		events { }
		http {
			access_log off;
			client_body_temp_path $tmp/t1; proxy_temp_path $tmp/t2; fastcgi_temp_path $tmp/t3;
			uwsgi_temp_path $tmp/t4; scgi_temp_path $tmp/t5;
			server { listen 8080; listen [::]:8080; root $tmp; }
		}
	END
	here --net none sh -c '
		nginx -e stderr -c "$1/nginx.conf" || exit
		curl -sS --retry 5 --retry-connrefused http://127.0.0.1:8080/data http://[::1]:8080/data | sha256sum
		ps -o comm= | grep -c nginx' sh "$tmp" >out 2>err
	check_eq "$what" "$(cat out)" "$(cat data data | sha256sum)"$'\n3'
}

programs() {
	local what='a static program' busybox
	if have "$what" busybox; then
		busybox=$(command -v busybox)
		if ldd "$busybox" >/dev/null 2>&1; then
			skip "$what" 'that busybox is not static'
		else
			check_eq "$what" "$(here --net none "$busybox" sha256sum <data)" "$(sha256sum <data)"
		fi
	fi
	what='threads, and sockets between them'
	have "$what" python3 || return
	check_eq "$what" "$(here --net none python3 -c '
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
def serve():
    while True:
        connection, _ = server.accept()
        threading.Thread(target=lambda: connection.sendall(b"x" * 1000), daemon=True).start()
threading.Thread(target=serve, daemon=True).start()
total = []
def ask():
    with socket.create_connection(server.getsockname()) as client:
        got = 0
        while got < 1000:
            got += len(client.recv(1000))
        total.append(got)
threads = [threading.Thread(target=ask) for _ in range(20)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sum(total))')" 20000
}

debugs() {
	local what='in gdb, where a program connects'
	have "$what" gdb || return
	printf '%s\n' 'tbreak tcp_v4_connect' continue 'backtrace 1' 'info symbol vif_dev_find' continue |
		here --gdb --net none bash -c ': <>/dev/tcp/127.0.0.1/1' >out 2>&1
	check_eq "$what" "$? $(grep -o '^(gdb) #0 *tcp_v4_connect' out)" '1 (gdb) #0  tcp_v4_connect'
	ok 'symbols of the module' grep -q 'vif_dev_find in section .text of .*/netnice.ko' out
	here --gdb --net none true >out 2>&1 <<<quit
	check_eq 'no gdb, no command' $? 125
}

# --- what stays ----------------------------------------------------------------------------

# none_left: of all processes only this one, and what it is waiting for
none_left() {
	local status pid
	for status in /proc/[0-9]*/status; do
		pid=${status#/proc/}
		pid=${pid%/status}
		[ "$pid" = $$ ] || [ "$pid" = "$BASHPID" ] || ! [ -e "$status" ] ||
			grep -q '^State:.*zombie' "$status" || return
	done
}

nothing_left() {
	if ! busywait 5 none_left; then
		fail 'no process stays' "$(ps -eo pid,ppid,args)"
	else
		pass 'no process stays'
	fi
	check_eq 'no file stays' "$(ls -A jobs; find "$root/tmp" -maxdepth 1 -name 'here.*' -user "$(id -u)" -newer nothing)" ''
}

: >nothing
starts
same
statuses
inputs
signals
fetches
pair
serves
programs
debugs
nothing_left
