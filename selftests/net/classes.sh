#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml, timeout=900, budget=25
#
# Programs of VIFs: which VIF below a packet goes to, by the number that this has as its class.
#
#   eth0/web                a program: UDP by ports 443 and 873, IP by DSCP 46
#     video  class 1
#     bulk   class 2
#     voice  class 3
#
# texts		what is refused, and that nothing has changed then
# both		both directions, IPv4 and IPv6, TCP and UDP, whole and in fragments, in large packets:
#		each packet is counted in the VIF that it belongs to, and nowhere else
# down		VIFs below have programs, too
# verdicts	unknown numbers, drops
# order		what waits is not overtaken where the program changes its mind
# flows		a sender whose packets wait sends others past them
# windows	who sends by TCP is told of the limit of the VIF that the program says
# users		a user's program sees packets that certainly belong to the user, an administrator's all
# tool		vifctl program, save and restore
# link		the same in qdisc mode
# ends		VIFs that move and go, programs that change, the module: under traffic
# option	the first program loads the module of programs, and each program holds it

. "$(dirname "$0")/lib.sh"

eth0=/proc/network/eth0
web=$eth0/web

# expression WORDS NUMBER: classic BPF that says NUMBER of what tcpdump's expression is true of
expression() { tcpdump -y RAW -ddd "$1" | sed "s/ 262144\$/ $2/"; }

# bad NAME ERROR SENTENCE TEXT
bad() {
	local before after out
	before=$(<$web/program)
	out=$(write $web/program "$4" 2>&1)
	after=$(</proc/network/last_error)
	check "refused: $1" "$(grep -Eq "$2" <<<"$out" && echo 1 || echo 0)" || note "$out"
	check "last_error: $1" "$(grep -Eq "program: $3" <<<"$after" && echo 1 || echo 0)" || note "$after"
	check_eq "nothing has changed: $1" "$(<$web/program)" "$before"
}

# instructions COUNT: that many, the last of which returns
instructions() {
	local i
	echo "$1"
	for ((i = 1; i < $1; i++)); do echo '0 0 0 0'; done
	echo '6 0 0 0'
}

texts() {
	local form='is neither none, nor the path'
	ok 'a program' write $web/program '2,48 0 0 0,6 0 0 1'
	check_eq 'it is shown' "$(<$web/program)" $'egress admin 2,48 0 0 0,6 0 0 1\ningress admin 2,48 0 0 0,6 0 0 1'
	ok 'of one direction' write $web/program $'egress 1\n6 0 0 2\n'
	check_eq 'it is shown alone' "$(<$web/program)" $'egress admin 1,6 0 0 2\ningress admin 2,48 0 0 0,6 0 0 1'
	bad 'a word' 'Invalid argument' "'video' $form" video
	bad 'too few' 'Invalid argument' "'2,6 0 0 0' $form" '2,6 0 0 0'
	bad 'too many' 'Invalid argument' "'1,6 0 0 0,6 0 0 0' $form" '1,6 0 0 0,6 0 0 0'
	bad 'a large number' 'Invalid argument' "'1,6 256 0 0' $form" '1,6 256 0 0'
	bad 'no return' 'Invalid argument' 'the kernel rejects it' '1,48 0 0 0'
	bad 'a jump beyond the end' 'Invalid argument' 'the kernel rejects it' '2,21 5 0 0,6 0 0 0'
	# backwards there is but a large number: ja -1
	bad 'a jump backwards' 'Invalid argument' 'the kernel rejects it' '2,5 0 0 4294967295,6 0 0 0'
	bad 'no instruction' 'Invalid argument' 'the kernel rejects it' '2,65535 0 0 0,6 0 0 0'
	bad 'no packet' 'Operation not supported' 'instruction 0 loads data outside the packet' '2,32 0 0 4294963256,6 0 0 0'
	# 0xffe00000
	bad 'the link header' 'Operation not supported' 'instruction 0 loads data outside the packet' '2,48 0 0 4292870144,6 0 0 0'
	bad 'too long' 'Argument list too long' '4097 instructions are too many: it may have 4096' "$(instructions 4097)"
	ok 'not too long' write $web/program "$(instructions 4096)"
	ok 'with a comment' write $web/program $'1,6 0 0 1,# one\ttwo\nthree'
	check_eq 'it is shown in a line' "$(<$web/program)" $'egress admin 1,6 0 0 1,# one,two,three\ningress admin 1,6 0 0 1,# one,two,three'
	bad 'no file' 'No such file' "'/nothing' cannot be looked up" /nothing
	bad 'not pinned' 'Operation not permitted|Invalid argument|Permission denied' "'/proc/version' is not a pinned" /proc/version
	ok 'none' write $web/program none
	check_eq 'it is none' "$(<$web/program)" $'egress none\ningress none'
	fails 'a class that a sibling has' write $web/bulk/class 1
	check_eq 'says so' "$(sed 's/ \[.*//' /proc/network/last_error | grep -o 'class: egress: 1 is the class of .video.')" "class: egress: 1 is the class of 'video'"
	fails 'a class of a device' write $eth0/class 1
	fails 'a class that is none' write $web/bulk/class 16
	check_eq 'a class is shown' "$(<$web/bulk/class)" $'egress 2\ningress 2'
	fails 'a move to where another one has the class' bash -c "mkdir $web/bulk/below && echo 3 >$web/bulk/below/class && mv $web/bulk/below $web/"
	ok 'without it' bash -c "echo none >$web/bulk/below/class && mv $web/bulk/below $web/ && rmdir $web/below"
}

# write FILE TEXT: by one write(2), whatever its length and lines
write() {
	printf %s "$2" >"$tmp/text"
	dd if="$tmp/text" of="$1" bs=1M status=none
}

# chain PROGRAM...: their returns of 0 go to the next one instead
chain() {
	awk 'FNR == 1 { if (NR > 1) base += n; n = $1; next }
	     { code[++total] = $1; jt[total] = $2; jf[total] = $3; k[total] = $4; end[total] = base + n }
	     END {
		print total
		for (i = 1; i <= total; i++)
			if (code[i] == 6 && k[i] == 0 && end[i] < total)
				print "5 0 0", end[i] - i
			else
				print code[i], jt[i], jf[i], k[i]
	     }' "$@"
}

setup() {
	local name n=0
	setup_veth
	need tcpdump socat nft jq vifctl
	mkdir $web
	for name in video bulk voice; do
		mkdir $web/$name
		n=$((n + 1))
		echo $n >$web/$name/class
	done
}

# counts: packets of each VIF in a direction, and of the VIF itself besides these
counts() {
	local vif sum=0 all n
	for vif in video bulk voice; do
		n=$(vif_stat $web/$vif "$1_packets")
		sum=$((sum + n))
		printf '%s ' "$n"
	done
	all=$(vif_stat $web "$1_packets")
	echo $((all - sum))
}

# change BEFORE AFTER
change() {
	local -a a b
	read -ra a <<<"$1"
	read -ra b <<<"$2"
	echo "$((b[0] - a[0])) $((b[1] - a[1])) $((b[2] - a[2])) $((b[3] - a[3]))"
}

# moves NAME OUT IN COMMAND...: so many packets of each go out and come in; + is some
moves() {
	local name=$1 out=$2 in=$3 e i
	shift 3
	e=$(counts egress) i=$(counts ingress)
	"$@" >/dev/null 2>&1
	e=$(change "$e" "$(counts egress)") i=$(change "$i" "$(counts ingress)")
	matches "$e" "$out" && matches "$i" "$in" && pass "$name" && return
	fail "$name" "out: $e, and not $out" "in: $i, and not $in"
}

matches() {
	local -a got want
	local n
	read -ra got <<<"$1"
	read -ra want <<<"$2"
	for n in 0 1 2 3; do
		case ${want[n]} in
		'*') ;;
		+) ((got[n] > 0)) || return ;;
		*) ((got[n] == want[n])) || return ;;
		esac
	done
}

sends() { in_vif $web traffic send udp "$@"; }

echo_server() {
	background peer socat -T 5 "UDP4-LISTEN:$1,fork,bind=10.0.0.2" EXEC:cat
	background peer socat -T 5 "UDP6-LISTEN:$1,fork,bind=[fd00::2]" EXEC:cat
}

# asks ADDRESS PORT BYTES: a datagram there and back
asks() { head -c "$3" /dev/zero | in_vif $web socat -b 8192 -t 0.5 - "UDP:$1:$2"; }

both() {
	local to
	program_files
	ok 'the program' write $web/program "$(<"$tmp/program")"
	echo_server 443
	echo_server 444
	background peer traffic sink tcp 873
	background peer traffic sink tcp 874
	background peer traffic sink udp 9
	pause 0.5
	# what waits for a neighbour has no owner
	ping -q -c 1 -W 1 10.0.0.2 && ping -q -c 1 -W 1 fd00::2
	for to in 10.0.0.2 '[fd00::2]'; do
		moves "$to: UDP of class 1" '1 0 0 0' '1 0 0 0' asks "$to" 443 100
		moves "$to: UDP of none" '0 0 0 1' '0 0 0 1' asks "$to" 444 100
		moves "$to: UDP of class 1 in three fragments" '3 0 0 0' '3 0 0 0' asks "$to" 443 4000
	done
	for to in 10.0.0.2 fd00::2; do
		moves "$to: TCP of class 2" '0 + 0 0' '0 + 0 0' in_vif $web traffic send tcp "$to" 873 --bytes 300k
		moves "$to: TCP of none" '0 0 0 +' '0 0 0 +' in_vif $web traffic send tcp "$to" 874 --bytes 300k
		moves "$to: DSCP 46" '0 0 10 0' '* * * *' sends "$to" 9 --bytes 1000 --size 100 --tos 184
		moves "$to: UDP GSO" '10 0 0 0' '* * * *' sends "$to" 443 --bytes 10000 --size 5000 --segment 1000
	done
	merged 'TCP merged by GRO' 0 "${in_vif_prefix[@]}" $web
	check 'runs are counted' "$(vif_stat $web program_runs) > 50"
	check_eq 'no misses' "$(vif_stat $web program_misses)" 0
	check_eq 'no drops' "$(vif_stat $web program_drops)" 0
}

# merged NAME REST COMMAND...: TCP that GRO puts together comes to a server that COMMAND runs: each is
# one packet to the program, and as many as on the wire to the VIF. REST is what stays.
merged() {
	local name=$1 rest=$2 address server runs packets
	shift 2
	wire_exact on
	ethtool -K eth0 gro on >/dev/null
	background "$@" traffic sink tcp 873
	server=$!
	for address in 10.0.0.1 fd00::1; do
		pause 0.5
		runs=$(vif_stat $web program_runs) packets=$(vif_stat $web ingress_packets)
		moves "$name, $address" "0 + 0 $rest" "0 + 0 $rest" peer traffic send tcp "$address" 873 --bytes 1M
		runs=$(($(vif_stat $web program_runs) - runs))
		packets=$(($(vif_stat $web ingress_packets) - packets))
		check "$name, $address: $runs runs for $packets received packets" "$runs < $packets"
	done
	stop $server
	wire_exact off
}

program_files() {
	# pcap does not look behind a header of IPv6 fragments
	expression 'udp port 443 or (ip6[6] = 44 and ip6[40] = 17 and (ip6[48:2] = 443 or ip6[50:2] = 443))' 1 >"$tmp/1"
	expression 'tcp port 873' 2 >"$tmp/2"
	expression '(ip[1] & 0xfc == 0xb8) or (ip6 and ip6[0:2] & 0x0fc0 == 0x0b80)' 3 >"$tmp/3"
	chain "$tmp/1" "$tmp/2" "$tmp/3" >"$tmp/program"
	note "$(head -n 1 "$tmp/program") instructions"
}

down() {
	mkdir $web/video/best
	echo 7 >$web/video/best/class
	write $web/video/program '1,6 0 0 7'
	local before after
	before=$(vif_stat $web/video/best egress_packets)
	moves 'a program below' '10 0 0 0' '* * * *' sends 10.0.0.2 443 --bytes 1000 --size 100
	after=$(vif_stat $web/video/best egress_packets)
	check_eq 'it has gone there' $((after - before)) 10
	write $web/video/program '1,6 0 0 4294967295'
	before=$(vif_stat $web/video egress_drops)
	moves 'a program below drops' '0 0 0 0' '* * * *' sends 10.0.0.2 443 --bytes 1000 --size 100
	check_eq 'it is counted where it is' $(($(vif_stat $web/video egress_drops) - before)) 10
	busywait 5 rmdir $web/video/best
	write $web/video/program none
}

verdicts() {
	local misses drops
	write $web/program '1,6 0 0 9'
	misses=$(vif_stat $web program_misses)
	moves 'an unknown class stays' '0 0 0 10' '* * * *' sends 10.0.0.2 443 --bytes 1000 --size 100
	check_eq 'it is counted' $(($(vif_stat $web program_misses) - misses)) 10
	write $web/program '1,6 0 0 4294967295'
	drops=$(vif_stat $web egress_drops)
	moves 'drops' '0 0 0 0' '* * * *' sends 10.0.0.2 443 --bytes 1000 --size 100
	check 'they are counted' "$(vif_stat $web program_drops) >= 10 && $(vif_stat $web egress_drops) - $drops >= 10"
	# what is computed is no negative offset: the link's header would have 0x0800 there
	write $web/program '5,1 0 0 4292870144,72 0 0 12,21 0 1 2048,6 0 0 1,6 0 0 2'
	moves 'nothing is in front of the IP header' '0 10 0 0' '* * * *' sends 10.0.0.2 9 --bytes 1000 --size 100
	write $web/program none
	moves 'none' '0 0 0 10' '* * * *' sends 10.0.0.2 443 --bytes 1000 --size 100
}

# order NAME PROGRAM BULK: what a program says of a flow changes while much of it waits, or the program
# goes: that waits for its turn all the same, and what comes after it behind it; but when all has left
# the flow goes another way, BULK packets of it to $web/bulk
# shellcheck disable=SC2016
order() {
	local name=$1 fast slow receiver
	echo 'egress 200kbit' >$web/video/bandwidth
	echo none >$web/video/aqm
	write $web/program '1,6 0 0 1'
	fast=$(vif_stat $web/bulk egress_packets)
	slow=$(vif_stat $web/video egress_packets)
	"${peer_prefix[@]}" socat -u UDP4-RECV:9000 "OPEN:$tmp/got,creat,trunc" </dev/null &
	receiver=$!
	defer stop $receiver
	pause 0.5
	in_vif $web bash -c '
		exec 3>/dev/udp/10.0.0.2/9000
		printf -v pad %0400d 0
		for ((i = 1000; i < 1050; i++)); do echo "$i $pad" >&3; done
		echo "$2" >"$0/program"
		grep egress_p_queue_packets "$0/video/stat" >"$1"
		for ((i = 1050; i < 1100; i++)); do echo "$i $pad" >&3; done
		until grep -q "egress_p_queue_packets 0" "$0/video/stat"; do sleep 0.05; done
		sleep 0.05
		echo "1100 $pad" >&3' $web "$tmp/waits" "$2"
	pause 0.5
	check "$name: much waits when it changes" "$(line_of "$tmp/waits" 'egress_p_queue_packets ') > 20"
	check_eq "$name: nothing is overtaken" "$(cut -d ' ' -f 1 "$tmp/got" | paste -s -d ' ')" "$(seq 1000 1100 | paste -s -d ' ')"
	check_eq "$name: and then it goes the other way" \
		"$(($(vif_stat $web/video egress_packets) - slow)) $(($(vif_stat $web/bulk egress_packets) - fast))" "100 $3"
	echo 'egress max' >$web/video/bandwidth
	write $web/program none
	stop $receiver
}

orders() {
	order "$1" '1,6 0 0 2' 1
	order "$1, none" none 0
}

# By a socket that has one hash for all that it sends: what goes elsewhere does not wait for it
flows() {
	local bulk
	echo 'egress 200kbit' >$web/video/bandwidth
	expression 'udp port 443' 1 | sed 's/^6 0 0 0$/6 0 0 2/' >"$tmp/otherwise"
	write $web/program "$(<"$tmp/otherwise")"
	bulk=$(vif_stat $web/bulk egress_packets)
	# shellcheck disable=SC2016
	in_vif $web bash -c '
		kinds socket udp4 connect 10.0.0.2 443 times 30 { send 1000 } times 5 { sendto 10.0.0.2 9 1000 }
		grep egress_p_queue_packets "$0/video/stat" >"$1"
		grep egress_packets "$0/bulk/stat" >>"$1"' $web "$tmp/flows"
	check "$1: much waits" "$(line_of "$tmp/flows" 'egress_p_queue_packets ') > 10"
	check_eq "$1: other packets of the socket do not" $(($(line_of "$tmp/flows" 'egress_packets ') - bulk)) 5
	busywait 10 vif_empty $web/video
	echo 'egress max' >$web/video/bandwidth
	write $web/program none
}

# Inside of a tunnel are the addresses and ports of what waits; outside it is something else
tunnelled() {
	local bulk
	modprobe -q ipip && ip link add tunnel type ipip local 10.0.0.1 remote 10.0.0.2 || return
	ip link set tunnel up
	ip route add 10.0.0.0/24 dev tunnel metric 999
	echo 'egress 200kbit' >$web/video/bandwidth
	write $web/program "$(<"$tmp/otherwise")"
	bulk=$(vif_stat $web/bulk egress_packets)
	in_vif $web kinds socket udp4 connect 10.0.0.2 443 times 30 '{' send 1000 '}' \
		device tunnel times 5 '{' send 1000 '}'
	check_eq "$1: what is in a tunnel is no part of a flow that waits" \
		$(($(vif_stat $web/bulk egress_packets) - bulk)) 5
	busywait 10 vif_empty $web/video
	echo 'egress max' >$web/video/bandwidth
	write $web/program none
	ip link del tunnel
}

# Its queue holds less than the sender has under way otherwise
windows() {
	local drops
	echo 'ingress 4mbit' >$web/bulk/bandwidth
	expression 'tcp port 875' 2 >"$tmp/875"
	write $web/program "$(<"$tmp/875")"
	drops=$(vif_stat $web/bulk ingress_drops)
	background peer traffic serve tcp 875
	pause 0.5
	in_vif $web traffic fetch tcp 10.0.0.2 875 --bytes 2m >/dev/null
	check "$1: it goes through the limit" "$(vif_stat $web/bulk ingress_overlimits) > 100"
	check_eq "$1: nothing is dropped" $(($(vif_stat $web/bulk ingress_drops) - drops)) 0
	echo 'ingress max' >$web/bulk/bandwidth
	write $web/program none
}

# user NUMBER COMMAND...: in the VIF
user() {
	local who=$1
	shift
	in_vif $web setpriv "--reuid=$who" "--regid=$who" --clear-groups "$@"
}

# user_write TEXT: by user 1000, the owner of the VIF
user_write() {
	printf %s "$1" >"$tmp/text"
	as_user dd "of=$web/program" bs=1M status=none <"$tmp/text"
}

# user_bad NAME ERROR TEXT
user_bad() {
	local before out
	before=$(<$web/program)
	out=$(user_write "$3" 2>&1)
	check "refused to a user: $1" "$(grep -q "$2" <<<"$out" && echo 1 || echo 0)" || note "$out"
	check_eq "nothing has changed: $1" "$(<$web/program)" "$before"
}

user_asks() { head -c "$4" /dev/zero | user "$1" socat -b 8192 -t 0.5 - "UDP:$2:$3"; }

# unseen NAME COMMAND...: the program is not asked of any of its packets, which stay
unseen() {
	local name=$1 runs
	shift
	runs=$(vif_stat $web program_runs)
	moves "$name: its packets stay" '0 0 0 +' '* * * *' "$@"
	check_eq "$name: nothing is seen of them" $(($(vif_stat $web program_runs) - runs)) 0
}

# asked NAME NUMBER OUT IN COMMAND...: so many
asked() {
	local name=$1 number=$2 runs
	shift 2
	runs=$(vif_stat $web program_runs)
	moves "$name" "$@"
	check_eq "$name: so often it is asked" $(($(vif_stat $web program_runs) - runs)) "$number"
}

# what a user may be shown without: connection tracking knows that nothing is translated
tracking() {
	modprobe -a nf_conntrack nft_ct nft_nat 2>/dev/null
	nft 'table inet track { chain in { type filter hook input priority 0; ct state new counter; }; }'
}

users_rights() {
	local jit_limit=/proc/sys/net/core/bpf_jit_limit before
	ok 'a user writes a program' user_write "$(<"$tmp/program")"
	check_eq 'it is shown whose' "$(cut -d, -f1 $web/program)" "egress uid 1000 $(head -n 1 "$tmp/program")"$'\n'"ingress uid 1000 $(head -n 1 "$tmp/program")"
	user_bad 'an administrator'"'"'s' 'Operation not permitted' 'admin 1,6 0 0 1'
	user_bad 'of another user' 'Operation not permitted' 'uid 1001 1,6 0 0 1'
	# what is there is not told, either
	user_bad 'eBPF' 'Operation not permitted' /nothing
	fails "root's, whose the kernel's sockets are, by who is no administrator" \
		setpriv --bounding-set=-net_admin --inh-caps=-net_admin sh -c "echo '1,6 0 0 1' >$web/program"
	user_bad 'no user' 'Invalid argument' 'uid 4294967295 1,6 0 0 1'
	user_bad 'no program' 'Invalid argument' 'uid 1000'
	user_bad 'too long' 'Argument list too long' "$(instructions 513)"
	ok 'not too long' user_write "egress $(instructions 512)"
	user_bad 'a long comment' 'Argument list too long' "1,6 0 0 1,#$(printf %017000d 0)"
	bad 'too long, by another user' 'Argument list too long' "513 instructions are too many: a user's may have 512" "uid 1000 $(instructions 513)"
	if [ -e $jit_limit ]; then
		# the least: nothing is left for who has no capability
		before=$(<$jit_limit)
		echo 1 >$jit_limit
		user_bad 'no memory for what is compiled' 'Operation not supported' '1,6 0 0 1'
		echo "$before" >$jit_limit
	fi
	ok 'the user removes it' user_write 'egress none'
	ok 'an administrator installs it for the user' write $web/program "egress uid 1000 $(<"$tmp/program")"
	check_eq 'it is the user'"'"'s' "$(cut -d' ' -f1-3 $web/program | head -n 1)" 'egress uid 1000'
}

users_see() {
	local all='1 0 0 0' three='3 0 0 0' to=10.0.0.2
	asked 'own UDP' 2 "$all" "$all" user_asks 1000 $to 443 100
	# the rest of a datagram is not looked at
	asked 'own UDP in three fragments' 2 "$three" "$three" user_asks 1000 $to 443 4000
	# but for a FIN, and what answers it, when the socket has gone; and before that an answer by IPv6
	moves 'own TCP' '0 + 0 1' '0 + 0 1' user 1000 traffic send tcp $to 873 --bytes 300k
	moves 'own TCP, by IPv6' '0 + 0 1' '0 + 0 2' user 1000 traffic send tcp fd00::2 873 --bytes 300k
	moves 'own UDP GSO' '10 0 0 0' '* * * *' user 1000 traffic send udp $to 443 --bytes 10000 --size 5000 --segment 1000
	moves 'own UDP GSO, by IPv6' '10 0 0 0' '* * * *' user 1000 traffic send udp fd00::2 443 --bytes 10000 --size 5000 --segment 1000
	unseen 'UDP of another user' user_asks 1001 $to 443 100
	unseen 'UDP of root' asks $to 443 100
	unseen 'UDP of another user in fragments' user_asks 1001 $to 443 4000
	unseen 'TCP of another user' user 1001 traffic send tcp $to 873 --bytes 300k
	unseen 'TCP of another user, by IPv6' user 1001 traffic send tcp fd00::2 873 --bytes 300k
	asked 'UDP that is not connected: what it receives' 1 "$all" '0 0 0 1' \
		user 1000 kinds socket udp4 sendto $to 443 100 receive 100
	asked 'what an error says' 1 '0 0 0 1' '0 0 0 1' user 1000 kinds socket udp4 connect $to 9999 send 100 pause 100
	sysctl -qw net.ipv4.ip_unprivileged_port_start=873
	# but for what comes before there is a socket, and behind it
	merged 'own TCP merged by GRO' '*' "${in_vif_prefix[@]}" $web setpriv --reuid=1000 --regid=1000 --clear-groups
}

# Packets for a port go to another host, though a user has the port, and names its peer
users_translated() {
	nft 'table ip divert { chain c { type nat hook prerouting priority -100; udp dport 8443 dnat to 10.0.0.1:9999; }; }' || return
	background socat -u UDP4-RECV:9999 "OPEN:$tmp/others,creat,append"
	background "${in_vif_prefix[@]}" $web "${user_prefix[@]}" \
		kinds socket udp4 bind 10.0.0.1 8443 connect 10.0.0.2 5555 pause 50000
	pause 0.5
	write $web/program 'uid 1000 1,6 0 0 1'
	asked 'what is translated' 0 '0 0 0 0' '0 0 0 0' \
		peer kinds socket udp4 bind 10.0.0.2 5555 connect 10.0.0.1 8443 times 3 '{' send 100 pause 50 '}'
	check_eq 'it has gone to the other one' "$(stat -c %s "$tmp/others")" 300
	nft delete table ip divert
}

# The other end has forgotten a connection, and uses its addresses and ports for another
users_stale() {
	local server client
	write $web/program none
	write $web/program 'ingress uid 1000 1,6 0 0 1'
	peer nft 'table inet mute { chain c { type filter hook output priority 0; tcp flags rst drop; }; }'
	background peer kinds socket tcp4 bind 10.0.0.2 876 listen 1 say ready accept pause 50000 >"$tmp/server"
	server=$!
	busywait 5 file_says "$tmp/server" ready
	background "${in_vif_prefix[@]}" $web "${user_prefix[@]}" \
		kinds socket tcp4 bind 10.0.0.1 5876 connect 10.0.0.2 876 send 100 pause 50000
	client=$!
	pause 0.3
	peer ss -K -t 'sport = 876' >/dev/null
	stop $server
	asked 'what is not of the connection' 0 '* * * *' '0 0 0 +' \
		peer timeout 1 kinds socket tcp4 bind 10.0.0.2 876 connect 10.0.0.1 5876
	stop $client
	# nor does it say its end again, which others would count
	ss -K -t 'sport = 5876' >/dev/null
	peer nft delete table inet mute
}

# The device is a VRF's: there another user's socket has the addresses and ports that a user names
users_elsewhere() {
	ip link add red type vrf table 77 || return
	ip link set red up
	ip link set eth0 master red
	ip route add 10.0.0.2/32 dev lo
	background kinds socket udp4 device red bind 10.0.0.1 8445 connect 10.0.0.2 5556 send 10 pause 50000
	background "${in_vif_prefix[@]}" $web "${user_prefix[@]}" \
		kinds socket udp4 set freebind 1 bind 10.0.0.1 8445 connect 10.0.0.2 5556 pause 50000
	pause 0.5
	asked 'what is for the VRF of the device' 0 '0 0 0 0' '0 0 0 *' \
		peer kinds socket udp4 bind 10.0.0.2 5556 connect 10.0.0.1 8445 times 3 '{' send 100 pause 50 '}'
	ip route del 10.0.0.2/32 dev lo
	# its IPv6 address goes with that
	ip link set eth0 nomaster
	ip link del red
	ip addr replace fd00::1/64 dev eth0 nodad
	ok 'the device is its own again' busywait 20 eval 'ping -c 1 -W 1 10.0.0.2 && ping -c 1 -W 1 fd00::2'
}

users() {
	chown 1000 $web
	tracking
	users_rights
	write $web/program "uid 1000 $(<"$tmp/program")"
	users_see
	chown 0 $web
	unseen 'UDP of another user, when the VIF is another user'"'"'s' user_asks 1001 10.0.0.2 443 100
	asked 'and own UDP' 2 '1 0 0 0' '1 0 0 0' user_asks 1000 10.0.0.2 443 100
	users_translated
	users_stale
	users_elsewhere
	write $web/program "$(<"$tmp/program")"
	for who in 1000 1001; do
		asked "an administrator's program sees UDP of $who" 2 '1 0 0 0' '1 0 0 0' user_asks $who 10.0.0.2 443 100
	done
	nft delete table inet track
	write $web/program none
}

# tool_bad NAME SENTENCE WORD...: of vifctl program
tool_bad() {
	local name=$1 sentence=$2 before out
	shift 2
	before=$(cat $web/program $web/*/class)
	out=$(vifctl program "$@" 2>&1) && fail "refused: $name" && return
	check "refused: $name" "$(grep -q "$sentence" <<<"$out" && echo 1 || echo 0)" || note "$out"
	check_eq "nothing has changed: $name" "$(cat $web/program $web/*/class)" "$before"
}

tool() {
	local list='udp port 443 = video; tcp port 873 = bulk; ip dscp 46 = voice; dst host 10.0.0.2 and udp[4:2] = 999 = new; udp port 7 = stay; udp port 8 = drop'
	local all='1 0 0 0' to=10.0.0.2 shown
	mkdir $web/new
	ok 'vifctl program' vifctl program eth0/web "$list"
	check_eq 'who has no class gets one' "$(<$web/new/class)" $'egress 4\ningress 4'
	check_eq 'others keep theirs' "$(<$web/bulk/class)" $'egress 2\ningress 2'
	check_eq 'it is shown' "$(vifctl program eth0/web | sed 's/[0-9]* instructions/N instructions/')" "egress  N instructions: $list"$'\n'"ingress N instructions: $list"
	moves 'by vifctl: UDP' "$all" "$all" asks $to 443 100
	moves 'by vifctl: UDP by IPv6' "$all" "$all" asks '[fd00::2]' 443 100
	moves 'by vifctl: TCP' '0 + 0 0' '0 + 0 0' in_vif $web traffic send tcp $to 873 --bytes 300k
	moves 'by vifctl: DSCP 46' '0 0 10 0' '* * * *' sends $to 9 --bytes 1000 --size 100 --tos 184
	moves 'by vifctl: stay' '0 0 0 10' '* * * *' sends $to 7 --bytes 1000 --size 100
	moves 'by vifctl: drop' '0 0 0 0' '* * * *' sends $to 8 --bytes 1000 --size 100
	check_eq 'vifctl -j show' "$(vifctl -j -d show eth0/web | jq -c '.[0].program.egress.uid, (.[0].program.ingress.instructions > 20)' | paste -s)" $'null\ttrue'
	tool_bad 'no such VIF' "no VIF 'nowhere' right below it" eth0/web 'udp = nowhere'
	tool_bad 'no expression' "'udp port x': " eth0/web 'udp port x = video'
	ok 'a DSCP by its name' vifctl program eth0/web 'dscp va = voice; ip6 dscp LE = video; dscp 0x2e = new'
	moves 'by vifctl: DSCP va' '0 0 10 0' '* * * *' sends $to 9 --bytes 1000 --size 100 --tos 176
	tool_bad 'no DSCP' 'a number up to 63' eth0/web 'ip dscp 64 = video'
	tool_bad 'a name of a host' 'they go into its rules, see netniced.conf' eth0/web 'name *.example.org = video'
	tool_bad 'no name' 'is missing behind it' eth0/web 'udp port 443; tcp = bulk'
	tool_bad 'two lists' 'is one word too many\|vifctl program help' eth0/web 'udp = video' 'tcp = bulk'
	tool_bad 'no VIF' "no VIF 'eth0/nothing'" eth0/nothing none
	# shellcheck disable=SC2016
	check "without libpcap: says so" "$(unshare -m sh -c 'for f in /usr/lib/*/libpcap.so*; do mount --bind /dev/null $f; done
		vifctl program eth0/web "udp = video"' 2>&1 | grep -c 'take libpcap')" || :
	echo none >$web/new/class
	out=$(vifctl program eth0/web egress 'tcp and (not net 10.0.0.0/8) = video' 2>&1)
	check_eq 'an expression that is true of no own packet: exit status' $? 3
	says_in 'why is said' "$out" "'tcp and (not net 10.0.0.0/8)' is true of no IPv4 packet that this machine sends" "10.0.0.1 is its own address" "by 'dst' for egress"
	check_eq 'an address of IPv6' "$(vifctl program eth0/web egress '!host fd00::1 = video' 2>&1 | grep -c 'fd00::1 is its own address')" 1
	for list in 'not (port 443 or net 10.0.0.0/9)' 'udp and not net 172.16.0.0/12 and not net 10.0.0.0/8' 'not src or dst net 10.0.0.0/24'; do
		says_in "$list" "$(vifctl program eth0/web "$list = video" 2>&1; echo $?)" "10.0.0.1 is its own address" 3
	done
	check_eq 'the address of the other end, in the wrong direction' \
		"$(vifctl program eth0/web ingress 'not dst net 10.0.0.0/8 = video' 2>&1 | grep -c 'that this machine receives, as 10.0.0.1')" 1
	ok 'in both directions: it is true in one' vifctl program eth0/web 'not dst net 10.0.0.0/8 = video; not net 10.0.0.0/8 or port 53 = bulk'
	ok 'others are not meant' vifctl program eth0/web egress 'not dst net 10.0.0.0/8 and not host 10.0.0.2 and not net 10.0.0.128/25 and not ip6 net fd01::/16 = video'
	as_user mkdir -p $eth0/user-1000/q
	out=$(as_user vifctl program eth0/user-1000 ingress 'tcp = q; port 53 = q' 2>&1)
	check_eq "what a user's program does not see: exit status" $? 3
	says_in 'it is said' "$out" 'decides about packets for connections only'
	check_eq 'a program about connections' "$(as_user vifctl program eth0/user-1000 ingress 'tcp port 443 = q' 2>&1; echo $?)" 0
	check_eq 'nothing of what it sends' "$(as_user vifctl program eth0/user-1000 egress 'udp = q' 2>&1)" ''
	rmdir $eth0/user-1000/q
	fails 'who may not' as_user vifctl program eth0/web 'udp = new'
	check_eq 'classes are as they were then' "$(<$web/new/class)" $'egress none\ningress none'
	ok 'vifctl program of one direction' vifctl program eth0/web egress 'udp = video; tcp = new'
	check_eq 'has a class in that' "$(<$web/new/class)" $'egress 4\ningress none'
	ok 'vifctl program none' vifctl program eth0/web ingress none
	check_eq 'only that' "$(vifctl program eth0/web | sed 's/[0-9]* instructions/N instructions/')" $'egress  N instructions: udp = video; tcp = new\ningress none'

	vifctl program eth0/web egress $'  udp =  video;\n\ttcp = new '
	check_eq 'an expression in several lines is kept in one' "$(vifctl program eth0/web | head -n 1 | sed 's/.*: //')" 'udp = video; tcp = new'

	write $web/program "ingress uid 1000 1,6 0 0 1,# what ingress admin 1,6 0 0 1 = x"
	shown=$(cat $web/program $web/*/class)
	vifctl save eth0/web >"$tmp/saved"
	write $web/program none
	echo none >$web/video/class
	echo 1 >$web/bulk/class
	echo 2 >$web/video/class
	ok 'vifctl restore, where classes are swapped' vifctl restore "$tmp/saved"
	check_eq 'programs and classes are as before' "$(cat $web/program $web/*/class)" "$shown"
	check 'once more changes nothing' "$(vifctl restore --dry-run "$tmp/saved" | wc -l) == 0"
	# another VIF has a class meanwhile, and a program's file is not there
	echo none >$web/bulk/class
	mkdir $web/surplus
	echo 2 >$web/surplus/class
	sed 's,program .*,program admin /sys/fs/bpf/nothing,' "$tmp/saved" >"$tmp/unpinned"
	vifctl restore "$tmp/unpinned" 2>"$tmp/said"
	check_eq 'vifctl restore, where a program cannot be had: part of it' $? 3
	check 'it says which' "$(grep -c "nothing' cannot be looked up" "$tmp/said") == 1" || note "$(<"$tmp/said")"
	check_eq 'the rest is as before' "$(cat $web/*/class)" "$(tail -n +3 <<<"$shown")"
	ok 'the surplus VIF has gone' test ! -e $web/surplus
	ok 'vifctl restore, with one that can' vifctl restore "$tmp/saved"
	rmdir $web/new
	write $web/program none
}

link() {
	tc qdisc add dev eth0 root netnice || return
	pause 0.5
	write $web/program "$(<"$tmp/program")"
	moves 'qdisc mode: UDP of class 1' '10 0 0 0' '* * * *' sends 10.0.0.2 443 --bytes 1000 --size 100
	moves 'qdisc mode: UDP GSO' '10 0 0 0' '* * * *' sends 10.0.0.2 443 --bytes 10000 --size 5000 --segment 1000
	write $web/program "uid 1000 $(<"$tmp/program")"
	moves 'qdisc mode: own UDP' '10 0 0 0' '* * * *' user 1000 traffic send udp 10.0.0.2 443 --bytes 1000 --size 100
	unseen 'qdisc mode: UDP of another user' user 1001 traffic send udp 10.0.0.2 443 --bytes 1000 --size 100
	write $web/program '1,6 0 0 4294967295'
	moves 'qdisc mode: drops' '0 0 0 0' '* * * *' sends 10.0.0.2 443 --bytes 1000 --size 100
	orders 'qdisc mode'
	flows 'qdisc mode'
	windows 'qdisc mode'
	tc qdisc del dev eth0 root
}

ends() {
	local i runs
	runs=$(vif_stat $web program_runs)
	write $web/program "$(<"$tmp/program")"
	background "${in_vif_prefix[@]}" $web traffic send udp 10.0.0.2 9 --tos 184 --rate 20m --size 500
	background "${in_vif_prefix[@]}" $web traffic send tcp 10.0.0.2 873 --rate 20m
	mkdir $web/other
	for ((i = 0; i < 30; i++)); do
		write $web/program "$(<"$tmp/$((i % 3 + 1))")"
		mv $web/video $web/other/
		write $web/program "egress $(<"$tmp/program")"
		mv $web/other/video $web/
		write $web/program none
		mkdir $web/short && echo 4 >$web/short/class
		write $web/program $'1,6 0 0 4'
		pause 0.02
		busywait 5 rmdir $web/short || break
		pause 0.02
		# packets may be in a program that has just been removed
		if [ $((i % 3)) -eq 0 ] && own_machine; then
			write $web/program none
			busywait 5 rmmod netnice_program || break
		fi
	done
	check "traffic goes on" "$(vif_stat $web program_runs) > $runs + 1000"
	check_eq 'programs change, their module and VIFs go, under traffic' $i 30
	write $web/program none
	log_clean
}

# option: a program loads the module of programs, and each program holds it
option() {
	local parameter=/sys/module/netnice/parameters/options helper runs was
	own_machine || return 0
	read -r was <$parameter
	chown 1000 $web
	ok 'without programs the option is unloaded, and the core stays' busywait 5 rmmod netnice_program
	runs=$(vif_stat $web program_runs)
	check_eq 'the file is there' "$(<$web/program)" $'egress none\ningress none'
	check 'and the counters' "$runs > 0"
	ok 'none is what there is' user_write none
	echo relay,stack >$parameter
	bad 'the administrator does not allow it' 'Operation not permitted' \
		'the administrator does not allow it: the parameter options' '1,6 0 0 1'
	user_bad 'likewise' 'Operation not permitted' '1,6 0 0 1'
	fails 'then root does not load it, either' modprobe netnice_program
	echo stack,program >$parameter
	check_eq 'the parameter reads as it was written, in order' "$(cat $parameter)" program,stack
	helper=$(cat /proc/sys/kernel/modprobe)
	echo /bin/false >/proc/sys/kernel/modprobe
	bad 'it is not installed' 'not supported' 'the module netnice_program is not installed' '1,6 0 0 1'
	echo "$helper" >/proc/sys/kernel/modprobe
	fails 'nothing of this has loaded it' test -d /sys/module/netnice_program
	ok 'the first program of a user loads it' user_write 'egress 1,6 0 0 1'
	fails 'a program holds its module' rmmod netnice_program
	fails 'and the core' rmmod netnice
	echo >$parameter
	bad 'another one, when the administrator does not allow it any more' 'Operation not permitted' \
		'the administrator does not allow it' '1,6 0 0 2'
	asked 'the one that is there stays' 1 '1 0 0 0' '* * * *' user_asks 1000 10.0.0.2 443 100
	ok 'and is removed' user_write none
	ok 'it goes with its programs' busywait 5 rmmod netnice_program
	check 'the counters stay' "$(vif_stat $web program_runs) == $runs + 1"
	echo "$was" >$parameter
	chown 0 $web
}

begin
need netnice
setup
texts
both
down
verdicts
orders 'hook mode'
flows 'hook mode'
tunnelled 'hook mode'
windows 'hook mode'
users
tool
link
option
ends
write $web/program "$(<"$tmp/program")"
fails 'a program holds its module under traffic' remove_netnice
write $web/program none
# packets of the VIF's still come
ok 'the module goes when there is no program, under traffic' unload_netnice
