#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=cni
# lab: virtual, check=none, mem=2048, timeout=3600
#
# The CNI plugin (tools/cni) by the CNI project's own means, and by its specification:
#
# tool		cnitool, as an administrator has it, runs the plugin behind the bridge
# project	at night, the integration test of the project's plugins, with netnice in the place of
#		`bandwidth`. What is changed of it: rates of 800 bit/s are 8000, the least
#		that netnice takes
# items		what the specification says that a plugin answers, one line each: versions,
#		environment, configuration, errors. The project has no test of that for
#		plugins of others
#
# CNI_BIN in the environment is a folder with another netnice, and cnitool, of a library of CNI 1.1, say.
# shellcheck disable=SC2154
. "$(dirname "$0")/lib.sh"

. "$(dirname "$0")/pods.sh"

project=/selftests/cni
plugin=${CNI_BIN-/opt/cni/bin}/netnice
cnitool=${CNI_BIN-$project}/cnitool
export CNI_PATH=${plugin%/*}:/usr/lib/cni
capabilities='{ "bandwidth": { "ingressRate": 10000000, "ingressBurst": 4294967295,
	"egressRate": 5000000, "egressBurst": 4294967295 } }'

# settings NAME: of the interface's root VIF
settings() { tree "$1" 'cat bandwidth burst' | xargs; }
limited='egress 5mbit ingress 10mbit egress auto ingress auto'
unlimited='egress max ingress max egress auto ingress auto'

# left: what there is besides what there was, of interfaces, addresses that are given away, results
# that the library keeps, mounts and processes
left() {
	ip -o link show type veth
	find /var/lib/cni -type f ! -name 'last_reserved_ip.*' ! -name lock -printf '%p\n' 2>/dev/null
	grep netnice /proc/self/mountinfo | grep -v ' /proc/network '
	pgrep -x netnice
}
nothing_left() { [ -z "$(left)" ]; }

# --- cnitool ---------------------------------------------------------------------------

# tool COMMAND NAME: of the network `pods`, that of the example
tool() { NETCONFPATH=$tmp/net.d CAP_ARGS=$capabilities "$cnitool" "$1" pods "/run/netns/pod-$2"; }

tools() {
	mkdir "$tmp/net.d"
	cp "$net_dir/../units/netnice.conflist" "$tmp/net.d/10-netnice.conflist"
	ip netns add pod-t
	said=$(tool add t 2>&1)
	check_eq 'cnitool add' $? 0
	says_in 'its result is that of the bridge' "$said" '"ips"' 10.88.0. '"sandbox": "/run/netns/pod-t"'
	check_eq 'the pod has its limits' "$(settings t)" "$limited"
	pod t ethtool -K eth0 tso off gso off tx-udp-segmentation off >/dev/null
	flow_run t - 5000000 in
	note "pod to node: $(meter flow rate_bit_per_s) bit/s, $(meter flow first_second_bytes) bytes in the first second"
	check_near 'sent: 5 Mbit/s' "$(meter flow rate_bit_per_s)" 5000000 1
	flow_run - t 10000000 delivered
	check_near 'received: 10 Mbit/s' "$(meter flow rate_bit_per_s)" 10000000 1
	ok 'cnitool check' tool check t
	tree t 'echo egress 6m >bandwidth'
	fails 'cnitool check, after a change by hand' tool check t
	says_in 'says what there is, and was' "$(tool check t 2>&1)" 'egress 6mbit ingress 10mbit' 'egress 5000000'
	if "$cnitool" 2>&1 | grep -q ' gc '; then
		ok 'cnitool status' tool status t
		ok 'cnitool gc' tool gc t
	fi
	ok 'cnitool del' tool del t
	ok 'cnitool del, once more' tool del t
	ip netns del pod-t
	ok 'nothing is left' busywait 20 nothing_left || note "$(left)"
}

# --- the project's integration test ---------------------------------------------------------

# Its suite has Go compile two programs of its own when it begins. Those are compiled: `go build
# -o FILE PACKAGE` is a copy.
# shellcheck disable=SC2016
project() {
	mkdir -p "$project/bin" "$tmp/path"
	# it has long names of namespaces
	[ -e /var/run ] || { ln -s /run /var/run && defer rm /var/run; }
	cp /usr/lib/cni/{bridge,host-local,ptp} "$project/bin/"
	cp "$plugin" "$project/bin/bandwidth"
	ln -s "$cnitool" "$tmp/path/cnitool"
	printf '#!/bin/sh\nexec cp %s/"${4##*/}" "$3"\n' "$project" >"$tmp/path/go"
	chmod +x "$tmp/path/go"
	sed -i 's/: 800\b/: 8000/' "$project/integration/testdata/chained-ptp-bandwidth.conflist"
	said=$(cd "$project/integration" && PATH=$tmp/path:$PATH ./test -ginkgo.v -ginkgo.noColor 2>&1)
	check_eq "the project's integration test passes" "$? $(grep -oE '[0-9]+ Passed . [0-9]+ Failed' <<<"$said")" \
		'0 3 Passed | 0 Failed' || note "$said"
	# how long the limited transfer took, and the other one
	note "$(grep -A 3 -E 'with (chained|basic)' <<<"$said" | grep -vE '^\s*$|^--$' | xargs)"
	rm -rf "${project:?}/bin" /tmp/bar
	ok 'it leaves nothing' busywait 20 nothing_left || note "$(left)"
}

# --- the specification -------------------------------------------------------------------------

# What a runtime hands over, in each format that a result has had
declare -A results=(
	[0.3.0]='"ips": [ { "version": "4", "interface": 0, "address": "10.1.2.3/24", "gateway": "10.1.2.1" } ]'
	[1.0.0]='"ips": [ { "interface": 0, "address": "10.1.2.3/24", "gateway": "10.1.2.1" } ]'
)
results[0.3.1]=${results[0.3.0]} results[0.4.0]=${results[0.3.0]} results[1.1.0]=${results[1.0.0]}

# config VERSION
config() {
	jq -n --arg version "$1" --argjson result "{ ${results[$1]-${results[1.0.0]}} }" --argjson capabilities "$capabilities" '
		{ cniVersion: $version, name: "net", type: "netnice", runtimeConfig: $capabilities,
		prevResult: ({ cniVersion: $version, interfaces: [ { name: "eth0", mac: "02:00:00:00:00:01",
			sandbox: "/run/netns/pod-i" }, { name: "veth1" } ],
			routes: [ { dst: "0.0.0.0/0" }, { dst: "10.9.0.0/16", gw: "10.1.2.9" } ],
			dns: { nameservers: [ "10.1.2.1" ], domain: "example.org", search: [ "a.example.org" ],
				options: [ "ndots:2" ] } } + $result) }'
}

# run COMMAND [VARIABLE=VALUE]...: the plugin, with that on its standard input; what it prints is in $out,
# and $err
run() {
	env CNI_COMMAND="$1" CNI_CONTAINERID=container-i CNI_NETNS=/run/netns/pod-i CNI_IFNAME=eth0 "${@:2}" \
		"$plugin" >"$tmp/out" 2>"$tmp/err"
	status=$?
	out=$(<"$tmp/out") err=$(<"$tmp/err")
}

# answer: 0 and whether a result was printed, or the error's code
answer() {
	local code='"code": ([0-9]+),'
	if [ $status = 0 ]; then
		echo "0${out:+ a result}"
	else
		echo "$out" >>"$tmp/errors"
		[[ $out =~ $code ]] && echo "${BASH_REMATCH[1]}"
	fi
}

# item ANSWER COMMAND CHANGE WORDS [VARIABLE=VALUE...]: what is said to that configuration, changed so,
# and in that environment; WORDS, which may be none, are in it
item() {
	local want=$1 command=$2 change=$3 words=$4
	if [ "$change" = . ]; then
		change=
		run "$command" "${@:5}" <"$tmp/config"
	else
		run "$command" "${@:5}" < <(jq "$change" "$tmp/config")
	fi
	judge "$want" "$command${change:+, $change}${5:+, ${*:5}}" "$words"
}

# given ANSWER COMMAND FILE WORDS: the same of what is no configuration at all
given() {
	run "$2" <"$3"
	judge "$1" "$2, ${3##*/} on standard input" "$4"
}

judge() {
	local answer
	answer=$(answer)
	if [ "$answer" != "$1" ]; then
		fail "$2: $1" "got: $answer" "$out" "$err"
	elif [[ $out != *"$3"* ]]; then
		fail "$2: $1, $3" "not in it: $3" "$out"
	else
		pass "$2: $1${3:+, $3}"
	fi
}

# each version that the plugin says it has
versions() {
	local version
	run VERSION </dev/null
	supported=$(jq -r '.supportedVersions[]' <<<"$out" | xargs)
	note "VERSION: $supported"
	says_in 'VERSION: what can be chained, from 0.3.0 on' " $supported " ' 0.3.0 0.3.1 0.4.0 1.0.0 '
	check_eq 'VERSION: no older one' "${supported%% *}" 0.3.0
	check_eq 'VERSION: says in which version it answers' "$(jq -r .cniVersion <<<"$out")" "${supported##* }"
	for version in $supported; do
		config "$version" >"$tmp/config"
		item '0 a result' ADD . ''
		check_eq "$version: what the plugin before has said is passed on" "$(jq -S . <<<"$out")" \
			"$(jq -S .prevResult "$tmp/config")"
		check_eq "$version: the pod is limited" "$(settings i)" "$limited"
		case $version in
		# where the specification has no CHECK yet
		0.3.*) item 1 CHECK . 'CHECK' ;;
		*) item 0 CHECK . '' ;;
		esac
		item 0 DEL . ''
		check_eq "$version: and is not any more" "$(settings i)" "$unlimited"
	done
	case " $supported " in
	*' 1.1.0 '*)
		item 0 GC '."cni.dev/valid-attachments" = []' ''
		item 0 GC '."cni.dev/valid-attachments" = [] | del(.prevResult)' '' CNI_CONTAINERID= CNI_NETNS= CNI_IFNAME=
		item 0 STATUS 'del(.prevResult) | .required = true' '' CNI_CONTAINERID= CNI_NETNS= CNI_IFNAME=
		;;
	*)
		item 1 ADD '.cniVersion = "1.1.0"' 'incompatible'
		item 4 GC . GC
		item 4 STATUS . STATUS
		;;
	esac
}

items() {
	ip netns add pod-i
	ip -n pod-i link add eth0 type dummy
	versions
	config 1.0.0 >"$tmp/config"
	mkdir "$tmp/folder"
	: >"$tmp/nothing"
	echo '{ "cniVersion": "1.0.0", "name": ' >"$tmp/half"
	echo 'egressRate=5M' >"$tmp/words"

	# versions: none stands for 0.1.0
	for version in 0.1.0 0.2.0 1.9.9 2.0.0 new; do item 1 ADD ".cniVersion = \"$version\"" 'incompatible'; done
	item 1 ADD 'del(.cniVersion)' ''
	item 6 ADD '.cniVersion = 1' ''
	item 1 DEL '.cniVersion = "0.2.0"' 'incompatible'

	# the environment
	item 4 ATTACH . ATTACH
	for command in ADD CHECK; do
		for variable in CNI_CONTAINERID CNI_NETNS CNI_IFNAME CNI_PATH; do item 4 $command . $variable $variable=; done
	done
	for variable in CNI_CONTAINERID CNI_IFNAME CNI_PATH; do item 4 DEL . $variable $variable=; done
	item 4 ADD . '' CNI_CONTAINERID=../container
	item 4 ADD . '' CNI_IFNAME=eth0/1
	item 4 ADD . '' CNI_IFNAME=..
	item 4 ADD . '' CNI_IFNAME=a-name-that-is-too-long
	item '0 a result' ADD . '' 'CNI_ARGS=IgnoreUnknown=1;K8S_POD_NAME=web;K8S_POD_NAMESPACE=shop'
	item '0 a result' ADD . '' CNI_ARGS=SOMETHING=else
	item 0 DEL . '' CNI_ARGS=SOMETHING=else

	# standard input
	for command in ADD CHECK DEL; do
		given 6 $command "$tmp/nothing" ''
		given 6 $command "$tmp/half" ''
		given 6 $command "$tmp/words" ''
		given 5 $command "$tmp/folder" ''
	done
	given '0 a result' VERSION "$tmp/words" supportedVersions

	# the configuration
	item 7 ADD 'del(.name)' 'name'
	item 7 ADD '.name = "../net"' '../net'
	item 7 ADD 'del(.prevResult)' 'no interface yet'
	item 7 CHECK 'del(.prevResult)' 'no interface yet'
	item 7 ADD '.prevResult = "eth0"' 'prevResult: string'
	item 6 ADD '.prevResult.ips = "10.1.2.3"' ''
	item 7 ADD '.runtimeConfig = 5' 'runtimeConfig: number'
	# what is not this plugin's, and what it does not know: the specification lets a plugin ignore it
	item '0 a result' ADD '.args = { labels: [] } | .dns = {} | .somethingElse = { a: 1 }' ''
	item '0 a result' ADD '.runtimeConfig.portMappings = [ { hostPort: 80 } ]' ''
	item '0 a result' ADD '.runtimeConfig.bandwidth.somethingElse = 1' ''

	# again, and without
	item '0 a result' ADD . ''
	item '0 a result' ADD . ''
	check_eq 'ADD twice is as once' "$(settings i)" "$limited"
	tree i 'echo egress 6m >bandwidth'
	item 103 CHECK . '6mbit'
	item '0 a result' ADD . ''
	item 0 CHECK . ''
	item 0 DEL 'del(.prevResult)' ''
	check_eq 'DEL needs no result of before' "$(settings i)" "$unlimited"
	item 103 CHECK . 'max'
	item 0 DEL . ''
	item 0 DEL '.runtimeConfig.bandwidth.egressRate = 1' ''
	item 0 DEL . '' CNI_NETNS=
	item 0 DEL . '' CNI_IFNAME=eth7
	item 0 DEL . '' CNI_NETNS=/run/netns/pod-none
	item 3 CHECK . 'no network namespace' CNI_NETNS=/run/netns/pod-none
	item 102 CHECK . 'no interface' CNI_IFNAME=eth7
	# a namespace whose file is there, and is none any more
	umount /run/netns/pod-i
	item 0 DEL . ''
	item 3 ADD . ''
	item 3 CHECK . ''
	rm /run/netns/pod-i
	ok 'each error is JSON, has a code and says something' jq -es \
		'length > 50 and all(.[]; (.code | type) == "number" and (.msg | length) > 0)' "$tmp/errors"
	ok 'nothing is left of all that' busywait 20 nothing_left || note "$(left)"
}

begin
need netnice jq "$plugin" "$cnitool"
tools
short || project
items
log_clean
