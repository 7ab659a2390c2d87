# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What is measured side by side. scheme_set NAME DEVICE RATE [CLASSES] makes it on a device
# that has nothing yet, with that rate (gbit) for each class, and sets
#
#	through		the prefix of a command that is to use it: the class in the middle
#	vif		the VIF of that class, if it is netnice
#
# none			noqueue, as the device has it; nothing of netnice is in use there
# pfifo_fast fq fq_codel	without options
# fq-paced		maxrate, which is a flow's: its part of the rate if there are so many `flows`
# cake			with a bandwidth, if a rate is asked for, and one class for all
# tbf			burst of a millisecond, at least two full frames; 50 ms may wait
# htb htb-deep		classes beside each other, or so many levels as `deep` says; packets
#			come to a class as the default one, which costs least
# htb-codel htb-codel-deep	the same, with fq_codel in the class
# hfsc hfsc-deep	link-sharing and upper limit
# netnice		VIFs beside each other, without a bandwidth if the rate is max
# netnice-deep		so many levels
# netnice-qdisc netnice-qdisc-deep	the same, as the device's qdisc
# netnice-unattached netnice-qdisc-unattached	by a process without attachments; there are none
# netnice-others	the same, where others are

deep=8
flows=1

# scheme_used CLASSES: the number of the one that is used
scheme_used() { echo $((($1 + 1) / 2)); }

# tc_burst RATE: as ours: a millisecond at that rate, at least four full frames or 20 ms, and two frames
tc_burst() {
	local rate=$(($(rate_bit "$1") / 8)) frames
	frames=$((rate / 50 < 3028 ? 3028 : rate / 50))
	frames=$((frames > 6056 ? 6056 : frames))
	echo $((rate / 1000 > frames ? rate / 1000 : frames))
}

# rate_bit RATE: 64kbit, 10mbit, 1gbit as a number
rate_bit() {
	case $1 in
	*kbit) echo "${1%kbit}000" ;;
	*mbit) echo "${1%mbit}000000" ;;
	*gbit) echo "${1%gbit}000000000" ;;
	esac
}

# tc_rate RATE: who must have one gets one that is never reached
tc_rate() {
	[ "$1" = max ] || { echo "$1"; return; }
	echo 10gbit
}

# htb_options RATE
htb_options() {
	# what tc(8) would warn of, where a class could send for long at a time
	[ "$1" != max ] || printf 'quantum 60000 '
	printf 'rate %s ceil %s' "$(tc_rate "$1")" "$(tc_rate "$1")"
}

# hfsc_options RATE
hfsc_options() { printf 'ls rate %s ul rate %s' "$(tc_rate "$1")" "$(tc_rate "$1")"; }

scheme_set() {
	local name=$1 device=$2 rate=$3 classes=${4:-1}
	through=() vif=''
	case $name in
	none) ;;
	pfifo_fast | fq | fq_codel) tc qdisc replace dev "$device" root "$name" ;;
	fq-paced) tc qdisc replace dev "$device" root fq maxrate $(($(rate_bit "$rate") / flows))bit ;;
	cake)
		local limit=(unlimited)
		[ "$rate" = max ] || limit=(bandwidth "$rate")
		tc qdisc replace dev "$device" root cake besteffort flows "${limit[@]}"
		;;
	tbf) tc qdisc replace dev "$device" root tbf rate "$(tc_rate "$rate")" \
		burst "$(tc_burst "$(tc_rate "$rate")")" latency 50ms ;;
	htb | htb-codel) set_classes htb "$device" "$classes" "$(htb_options "$rate")" ;;
	htb-deep | htb-codel-deep) set_deep htb "$device" "$(htb_options "$rate")" ;;
	hfsc) set_classes hfsc "$device" "$classes" "$(hfsc_options "$rate")" ;;
	hfsc-deep) set_deep hfsc "$device" "$(hfsc_options "$rate")" ;;
	netnice*) set_netnice "$name" "$device" "$rate" "$classes" ;;
	esac || return
	case $name in
	htb-codel) tc qdisc add dev "$device" parent 1:1 fq_codel ;;
	htb-codel-deep) tc qdisc add dev "$device" parent "$(printf 1:%x $deep)" fq_codel ;;
	esac
}

# set_classes KIND DEVICE CLASSES OPTIONS
set_classes() {
	local i
	{
		printf 'qdisc add dev %s root handle 1: %s default %x\n' "$2" "$1" "$(scheme_used "$3")"
		for ((i = 1; i <= $3; i++)); do
			printf 'class add dev %s parent 1: classid 1:%x %s %s\n' "$2" $i "$1" "$4"
		done
	} | tc -batch -
}

# set_deep KIND DEVICE OPTIONS
set_deep() {
	local i
	{
		printf 'qdisc add dev %s root handle 1: %s default %x\n' "$2" "$1" $deep
		for ((i = 1; i <= deep; i++)); do
			printf 'class add dev %s parent 1:%x classid 1:%x %s %s\n' "$2" $((i - 1)) $i "$1" "$3"
		done
	} | tc -batch -
}

# attach_other VIF: a process that sends nothing
attach_other() {
	background sleep 1000000
	echo $! >"$1/tasks"
}

# set_netnice NAME DEVICE RATE CLASSES
set_netnice() {
	local root=/proc/network/$2
	case $1 in
	*-deep)
		series $deep "$2" "$3"
		;;
	*)
		seq -f "$root/%.0f" "$4" | xargs mkdir
		vif=$root/$(scheme_used "$4")
		echo "$3" >"$vif/bandwidth"
		;;
	esac || return
	case $1 in
	netnice-qdisc*) tc qdisc replace dev "$2" root netnice || return ;;
	esac
	case $1 in
	*-unattached) ;;
	*-others) attach_other "$vif" ;;
	*) through=("${in_vif_prefix[@]}" "$vif") ;;
	esac
}
