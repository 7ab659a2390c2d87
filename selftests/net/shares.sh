#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Weights and priorities in trees of VIFs with and without bandwidth, at egress
# and at ingress. See pairs.sh for topology and judge. Each scenario is a tree, in
# which some VIFs have a sender that offers more than it can get; what each should
# get is worked out by fluid.awk, which knows nothing of packets. In every second
# each must be within 1 % of that, or one packet, where that is more. A scenario
# may go on with parameters changed live. The end of the output is a table of the
# trees, in the notation of sketch.awk, and of the largest deviation in any second of
# any of their senders; Documentation/shares.rst has it.
# lab: virtual, timeout=900, kernels=6.1+new, budget=27
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pairs.sh"

seconds=2
payload=458		# 500 bytes on the wire

# set_values VIF KEY=VALUE...: in the scenario's direction
set_values() {
	local vif=$1 word
	shift
	for word; do
		echo "$direction ${word#*=}" >"$vif/${word%%=*}" || return
	done
}

# vif PATH KEY=VALUE...: a VIF of the scenario
vif() {
	lines+=("vif $*")
	mkdir "/proc/network/v$n/$1" && set_values "/proc/network/v$n/$1" "${@:2}"
}

# live PATH KEY=VALUE...: other values from now on
live() {
	lines+=("vif $*")
	set_values "/proc/network/v$n/$1" "${@:2}"
}

# flows PATH...: senders
flows() {
	local path
	for path; do
		flow_paths+=("$path")
		lines+=("flow $path")
	done
}

ideal() { printf '%s\n' "${lines[@]}" | awk -f "$net_dir/fluid.awk"; }

# offered PATH: more than the topmost limit on its way, as it was at first
offered() {
	printf '%s\n' "${lines[@]}" | awk -v path="$1/" '
		index(path, $2 "/") == 1 && match($0, /bandwidth=[0-9]+/) {
			printf "%d", substr($0, RSTART + 10, RLENGTH - 10) * 1.1
			exit
		}'
}

# scenario NAME [SKETCH]: begins one; with SKETCH it is drawn so
scenario() {
	name=$1 drawn=${2-} lines=() flow_paths=() flow_ports=()
	pair_new || exit
}

# run [PHASE]: senders are started the first time; then `seconds` are judged
run() {
	local title=$name${1:+, $1} what path rate i ports=()
	local -A want=()
	what="$title ($direction)"
	[[ -v sketches[$title] ]] || titles+=("$title")
	sketches[$title]=${drawn:-$(printf '%s\n' "${lines[@]}" | awk -f "$net_dir/sketch.awk")}
	worst_percent=0.00 worst_packets=0.0
	while read -r path rate; do want[$path]=$rate; done < <(ideal)
	for ((i = ${#flow_ports[@]}; i < ${#flow_paths[@]}; i++)); do
		port=$((++last_port))
		flow_ports+=("$port")
		flow "$n" "$direction" udp v4 "$port" "/proc/network/v$n/${flow_paths[i]}" --size "$payload" \
			--rate "$(offered "${flow_paths[i]}")"
	done
	pause 0.5
	for port in "${flow_ports[@]}"; do ports+=(--port "$port"); done
	meter_flow all "$n" "$direction" --bin 1s --csv "$tmp/csv" "${ports[@]}"
	pause "$seconds.2"
	meter_stop all
	meter_load all
	meter_whole || fail "$what: the judge saw everything" "$(cat "$tmp/meter.all")"
	for ((i = 0; i < ${#flow_paths[@]}; i++)); do
		judge "$what: ${flow_paths[i]}" "$((${#flow_ports[@]} > 1 ? 4 + i : 3))" "${want[${flow_paths[i]}]:-0}"
	done
	deviations[$direction $title]="$worst_percent %"
	[ "$worst_packets" = 0.0 ] || deviations[$direction $title]+=", $worst_packets p"
}

# judge NAME COLUMN RATE: each whole second. Of what gets less than 100 packets, one of
# them is more than 1 %: the table counts these in packets.
judge() {
	local verdict said
	verdict=$(awk -F, -v column="$2" -v rate="$3" -v seconds=$seconds -v packet=$((payload + 42)) \
		-v percent="$worst_percent" -v packets="$worst_packets" '
		NR > 1 && NR <= seconds + 1 {
			off = $column > rate / 8 ? $column - rate / 8 : rate / 8 - $column
			in_percent = rate / 800 > packet
			if (off > (in_percent ? rate / 800 : packet))
				bad = 1
			if (in_percent && off * 800 / rate > percent)
				percent = off * 800 / rate
			if (!in_percent && off / packet > packets)
				packets = off / packet
			said = said sprintf(" %d", $column * 8)
			n++
		}
		END { printf "%s %.2f %.1f want %.0f bit/s, got%s\n", !bad && n == seconds ? "ok" : "off",
			percent, packets, rate, said }' "$tmp/csv")
	read -r verdict worst_percent worst_packets said <<<"$verdict"
	if [ "$verdict" = ok ]; then
		note "$1: $said"
		pass "$1"
	else
		fail "$1" "$said"
	fi
}

# table: for Documentation/shares.rst
table() {
	local title line
	line="$(printf '=%.0s' {1..72})  ==============  =============="
	row "$line"
	row "$(printf '%-72s  %-14s  %s' tree egress ingress)"
	row "$line"
	for title in "${titles[@]}"; do
		row "$title"
		row "$(printf '%-72s  %-14s  %s' "\`\`${sketches[$title]}\`\`" \
			"${deviations[egress $title]-}" "${deviations[ingress $title]-}")"
	done
	row "$line"
}

row() { note "table: $1"; }

end() {
	flow_stop "${flow_ports[@]}"
	pair_del "$n"
	return 0
}

# tie WEIGHT[:BANDWIDTH]...: siblings of 10 Mbit/s, whose limits are about their shares, and
# full frames
tie() {
	local payload=1472 sibling i=0 paths=() values
	scenario "limits about the shares: $*"
	vif p bandwidth=10000000
	for sibling; do
		paths+=("p/s$((++i))")
		values=(weight="${sibling%:*}")
		[ "$sibling" = "${sibling%:*}" ] || values+=(bandwidth="${sibling#*:}")
		vif "${paths[-1]}" "${values[@]}"
	done
	flows "${paths[@]}"
	run
	end
}

begin
need netnice nft
ip netns add peer
defer ip netns del peer
peer ip link set lo up
last_port=5000
titles=()
declare -A sketches=() deviations=()

for direction in ${DIRECTIONS:-egress ingress}; do
	scenario 'weights 1:2:4'
	vif p bandwidth=7000000
	vif p/a weight=1
	vif p/b weight=2
	vif p/c weight=4
	flows p/a p/b p/c
	run
	live p/a weight=4
	live p/c weight=1
	run 'weights changed'
	live p/b priority=3
	run 'priority changed'
	end

	scenario 'weights 1:10000'
	vif p bandwidth=8000000
	vif p/light weight=1
	vif p/heavy weight=10000
	flows p/light p/heavy
	run
	end

	scenario 'priority over weight'
	vif p bandwidth=6000000
	vif p/first priority=0 weight=1 bandwidth=1000000
	vif p/second priority=1 weight=1 bandwidth=2000000
	vif p/last priority=7 weight=10000
	flows p/first p/second p/last
	run
	end

	scenario 'a priority counts in its own parent only'
	vif p bandwidth=6000000
	vif p/a
	vif p/a/last priority=7
	vif p/b weight=200
	vif p/b/first priority=0
	flows p/a/last p/b/first
	run
	end

	scenario 'a greedy one of higher priority'
	vif p bandwidth=4000000
	vif p/first priority=3
	vif p/second weight=10000
	flows p/first p/second
	run
	end

	scenario 'NWC under WC under NWC'
	vif p bandwidth=6000000
	vif p/wc weight=200
	vif p/wc/slow bandwidth=1000000
	vif p/wc/rest
	vif p/other
	flows p/wc/slow p/wc/rest p/other
	run
	live p bandwidth=9000000
	run 'the parent speeded up'
	live p/wc/slow bandwidth=max
	run 'the child freed'
	end

	scenario 'WC under NWC under WC'
	vif p
	vif p/nwc bandwidth=3000000
	vif p/nwc/a weight=66
	vif p/nwc/b weight=33
	vif p/four bandwidth=4000000
	vif p/one bandwidth=1000000
	flows p/nwc/a p/nwc/b p/four p/one
	run
	end

	scenario 'a parent slower than its children together'
	vif p bandwidth=5000000
	vif p/a bandwidth=4000000
	vif p/b bandwidth=2000000
	vif p/c bandwidth=500000
	flows p/a p/b p/c
	run
	end

	scenario 'a child faster than its parent'
	vif p bandwidth=4000000
	vif p/slow bandwidth=2000000
	vif p/slow/fast bandwidth=20000000
	vif p/other weight=50
	flows p/slow/fast p/other
	run
	end

	scenario 'its own packets against its children, by weight'
	vif p bandwidth=6000000 local_weight=300
	vif p/a
	vif p/b weight=200
	flows p p/a p/b
	run
	live p local_weight=100
	run 'local_weight changed'
	end

	scenario 'its own packets against its children, by priority'
	vif p bandwidth=6000000 local_priority=7
	vif p/a bandwidth=1000000
	vif p/b bandwidth=2000000
	flows p p/a p/b
	run
	end

	scenario 'a share is shared again'
	vif p bandwidth=8000000
	vif p/one weight=100
	vif p/one/a
	vif p/many weight=300
	vif p/many/a
	vif p/many/b
	vif p/many/c weight=400
	flows p/one/a p/many/a p/many/b p/many/c
	run
	end

	scenario 'limits, priorities and weights, on three levels'
	vif p bandwidth=10000000
	vif p/q bandwidth=3000000 priority=0
	vif p/q/x weight=1
	vif p/q/y weight=3 bandwidth=1500000
	vif p/r weight=100
	vif p/r/u priority=1 bandwidth=800000
	vif p/r/v priority=2
	vif p/s weight=250
	flows p/q/x p/q/y p/r/u p/r/v p/s
	run
	end

	scenario '32 levels' 'p:5M(d(d(d:6M(... (d(a:w300 b:w100)) ...))) side:w25)'
	deep=p
	vif p bandwidth=5000000
	for ((level = 2; level < 32; level++)); do
		deep+=/d
		if [ $((level % 3)) -eq 0 ]; then vif "$deep" bandwidth=$((6000000 + level)); else vif "$deep"; fi
	done
	vif "$deep/a" weight=300
	vif "$deep/b" weight=100
	vif p/side weight=25
	flows "$deep/a" "$deep/b" p/side
	run
	end

	scenario 'a burst of one frame beside a limit that is reached'
	vif p bandwidth=10000000
	vif p/a weight=1000 bandwidth=10000000 burst=1ms
	vif p/b weight=100
	vif p/c weight=1000 bandwidth=3000000
	flows p/a p/b p/c
	run
	end

	tie 900:9450000 100
	short && continue
	tie 900:8990000 100
	tie 100:5000000 100:5000000
	tie 100:5100000 100
	tie 300:2500000 300:3100000 400
	tie 1:1050000 3:3100000 6
	tie 100:2600000 100:2400000 100:2500000 100
	tie 50:800000 50:600000 900:9100000
	tie 10000:9990000 100
	tie 200:2000000 300:3000000 500:5000000
	tie 700:7000000 200 100:1010000
	tie 450:4545000 450:4590000 100
done
table
