# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
#
# Downloads through a limit of what is received. receiver_set NAME DEVICE RATE makes it on a
# device that has nothing yet, and sets `through`, the prefix of a command that is to be
# limited:
#
#	netnice			a VIF with a bandwidth
#	tbf			behind ifb; burst of a millisecond, at least two full frames;
#				50 ms may wait, at least 10 frames
#	htb-codel		behind ifb; fq_codel in a class
#	cake cake-ingress	behind ifb; the latter charges what it drops

receiver_set() {
	local name=$1 device=$2 rate=$3 ifb=i$2
	through=()
	if [ "$name" = netnice ]; then
		mkdir "/proc/network/$device/limited"
		echo "ingress $rate" >"/proc/network/$device/limited/bandwidth"
		through=("${in_vif_prefix[@]}" "/proc/network/$device/limited")
		return
	fi
	ip link add "$ifb" up type ifb || return
	tc -batch - <<-END2 || return
		qdisc add dev $device ingress
		filter add dev $device parent ffff: protocol all matchall action mirred egress redirect dev $ifb
	END2
	case $name in
	tbf) tc qdisc add dev "$ifb" root tbf rate "$rate" burst "$(tc_burst "$rate")" \
		limit "$(tbf_limit "$rate")" ;;
	htb-codel) set_classes htb "$ifb" 1 "$(htb_options "$rate")" &&
		tc qdisc add dev "$ifb" parent 1:1 fq_codel ;;
	cake) tc qdisc add dev "$ifb" root cake bandwidth "$rate" besteffort ;;
	cake-ingress) tc qdisc add dev "$ifb" root cake bandwidth "$rate" besteffort ingress ;;
	esac
}

tbf_limit() {
	local bytes=$(($(rate_bit "$1") / 160))
	echo $((bytes > 15140 ? bytes : 15140))
}

# sent_bytes DEVICE: on the wire, by the peer
sent_bytes() {
	peer awk -v device="$1:" '$1 == device { print $10 }' /proc/net/dev
}

# resent_by [PREFIX...]: segments, by the namespace of PREFIX
resent_by() {
	"$@" awk '$1 == "Tcp:" && $13 ~ /^[0-9]+$/ { print $13 }' /proc/net/snmp
}

# received_bytes N: of data, by the connections to pair N
received_bytes() {
	ss -tinH dst "10.1.$1.2" | sed -n 's/.* bytes_received:\([0-9]*\).*/\1/p' |
		awk '{ n += $1 } END { print n + 0 }'
}

# download N CONNECTIONS SECONDS [ARGUMENT...]: by what is in `through`, on pair N; sets sent,
# resent and received, and sent_late and received_late, which begin with the third second.
# ARGUMENTs are the receivers'.
download() {
	local n=$1 connections=$2 seconds=$3 i port=$((4000 + 100 * $1)) before_sent before_resent servers=()
	local third_sent third_received ours=()
	shift 3
	for ((i = 0; i < connections; i++)); do
		background peer traffic serve tcp $((port + i)) >"$tmp/serve.$i"
		servers+=($!)
	done
	for ((i = 0; i < connections; i++)); do busywait 5 file_says "$tmp/serve.$i" ready; done
	before_sent=$(sent_bytes "v$n") before_resent=$(resent_by peer)
	for ((i = 0; i < connections; i++)); do
		background "${through[@]}" traffic fetch tcp "10.1.$n.2" $((port + i)) "$@" >"$tmp/fetch.$i"
		ours+=($!)
	done
	pause 3
	third_sent=$(sent_bytes "v$n") third_received=$(received_bytes "$n")
	pause $((seconds - 3))
	sent=$(sent_bytes "v$n") received=$(received_bytes "$n")
	resent=$(($(resent_by peer) - before_resent))
	sent_late=$((sent - third_sent)) received_late=$((received - third_received))
	sent=$((sent - before_sent))
	kill "${servers[@]}" "${ours[@]}"
	wait "${servers[@]}" "${ours[@]}" 2>/dev/null
}
