#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=cluster
# lab: virtual, check=none, kernels=debian13, mem=6144, timeout=7200
#
# A cluster of Kubernetes with one node (selftests/cluster), and examples/kubernetes in it as its users
# apply it: the image of its Containerfile, kustomize, the DaemonSet's life, its policy. Pods have their
# limits and shares by the DaemonSet alone: nothing of netnice is installed on the node but the module.
#
#   pods                     init namespace, the node           namespace peer
#   +-----------------+     +-------------------------+     +------------------+
#   | eth0 10.88.0.x  |-----| veth... cni0       eth0 |-----| eth0 10.0.0.2    |
#   +-----------------+     +-------------------------+     +------------------+
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/runtime.sh"

all=/proc/network/eth0/kubepods
# that of the service, so that no kube-proxy is needed
server=https://10.96.0.1
export KUBECONFIG=/run/kubernetes/admin

# since NAME: seconds of the guest, so that a slow step is seen
since() { note "$(cut -d' ' -f1 /proc/uptime) s: $*"; }

kubectl() { cluster kubectl "$@"; }

# api PATH: an object of the API server. kubectl takes a second each time.
api() { curl -sk -H 'Authorization: Bearer admin' "$server$1"; }

# access NAME: a file by which clients find the server, as a user whose name is the token
access() {
	cat >"/run/kubernetes/$1" <<-END
		apiVersion: v1
		kind: Config
		clusters: [ { name: c, cluster: { server: "$server", insecure-skip-tls-verify: true } } ]
		users: [ { name: u, user: { token: $1 } } ]
		contexts: [ { name: c, context: { cluster: c, user: u } } ]
		current-context: c
	END
}

# part NAME ARGUMENT...: what it says is in $tmp/NAME
part() { background cluster "$@" >"$tmp/$1" 2>&1; }

control_plane() {
	mkdir -p /run/kubernetes /run/etcd
	chmod 700 /run/etcd
	ssh-keygen -q -t ecdsa -m PEM -N '' -f /run/kubernetes/key
	cat >/run/kubernetes/tokens <<-END
		admin,admin,1,system:masters
		node,system:node:node,2,system:nodes
	END
	access admin
	access node
	ip addr add 10.96.0.1/32 dev lo
	part etcd --data-dir /run/etcd --unsafe-no-fsync --log-level error
	part apiserver --etcd-servers http://127.0.0.1:2379 --cert-dir /run/kubernetes --secure-port 443 --allow-privileged \
		--advertise-address 10.0.0.1 --kubelet-preferred-address-types InternalIP --token-auth-file /run/kubernetes/tokens --authorization-mode Node,RBAC \
		--enable-admission-plugins NodeRestriction --service-cluster-ip-range 10.96.0.0/16 \
		--service-account-issuer https://kubernetes.default.svc --service-account-key-file /run/kubernetes/key \
		--service-account-signing-key-file /run/kubernetes/key --profiling=false
	ok 'the API server is ready' busywait 300 ready || note "$(tail -n 5 "$tmp/apiserver")"
	part manager --kubeconfig /run/kubernetes/admin --leader-elect=false --use-service-account-credentials \
		--service-account-private-key-file /run/kubernetes/key --root-ca-file /run/kubernetes/apiserver.crt
	part scheduler --kubeconfig /run/kubernetes/admin --leader-elect=false
}

ready() { pause 1; [ "$(api /readyz)" = ok ]; }

kubelet_start() {
	background cluster kubelet --config /run/kubernetes/kubelet.yaml --kubeconfig /run/kubernetes/node \
		--hostname-override node --node-ip 10.0.0.1 --root-dir /var/lib/kubelet >>"$tmp/kubelet" 2>&1
	kubelet=$!
}

node() {
	local folder
	for folder in kubelet containerd; do
		mkdir -p /var/lib/$folder
		mount -t tmpfs $folder /var/lib/$folder
	done
	mkdir -p /var/log/pods /opt/cni/bin
	[ -e /var/run ] || ln -s /run /var/run
	systemctl mask -q --now --runtime containerd
	runtime_config
	# the DaemonSet adds the plugin, and kubelet's driver is systemd
	jq 'del(.plugins[] | select(.type == "netnice"))' "$net_dir/../units/netnice.conflist" >/etc/cni/net.d/10-pods.conflist
	rm /etc/cni/net.d/10-netnice.conflist
	sed -i 's/NoPivotRoot = true/&\n\t\tSystemdCgroup = true/' /etc/containerd/config.toml
	runtime_start
	runtime_image
	image_import registry.example.org/netnice:0.1.0 /cluster/image
	cat >/run/kubernetes/kubelet.yaml <<-END
		apiVersion: kubelet.config.k8s.io/v1beta1
		kind: KubeletConfiguration
		cgroupDriver: systemd
		failSwapOn: false
		authentication: { anonymous: { enabled: true }, webhook: { enabled: false } }
		authorization: { mode: AlwaysAllow }
		containerRuntimeEndpoint: unix://$CRI_SOCKET
		evictionHard: { memory.available: 10Mi, nodefs.available: 1%, nodefs.inodesFree: 0%, imagefs.available: 1% }
		imageGCHighThresholdPercent: 100
		makeIPTablesUtilChains: false
		resolvConf: ""
	END
	kubelet_start
	ok 'the node is ready' busywait 300 node_ready || note "$(grep -E '^[EF]' "$tmp/kubelet" | cut -c1-300 | tail -n 5)"
}

node_ready() {
	pause 1
	[ "$(api /api/v1/nodes/node | jq -r '.status.conditions[] | select(.type == "Ready").status')" = True ]
}

# pod NAME ANNOTATIONS RESOURCES [node]: both in YAML's flow style. Its command sleeps.
pod() {
	local network=false
	[ "${4-}" != node ] || network=true
	cat <<-END
		---
		apiVersion: v1
		kind: Pod
		metadata: { name: $1, annotations: $2 }
		spec:
		  hostNetwork: $network
		  terminationGracePeriodSeconds: 1
		  enableServiceLinks: false
		  automountServiceAccountToken: false
		  containers:
		  - { name: main, image: "docker.io/netnice/box:1", command: [/box/busybox, sleep, "1000000"], resources: $3 }
	END
}
guaranteed='{ requests: { cpu: 10m, memory: 32Mi }, limits: { cpu: 10m, memory: 32Mi } }'
burstable='{ requests: { cpu: 10m, memory: 32Mi } }'

pods() { api /api/v1/namespaces/default/pods | jq -r '.items[] | "\(.metadata.name) \(.status.phase) \(.status.qosClass) \(.status.podIP)"'; }
running() { pause 1; [ "$(pods | grep -c ' Running ')" = "$1" ]; }
gone() { pause 1; ! pods | grep -q "^$1 "; }
ip_of() { api "/api/v1/namespaces/default/pods/$1" | jq -r .status.podIP; }

# netns_of NAME: a file
netns_of() {
	local ip file
	ip=$(ip_of "$1")
	for file in /run/netns/cni-*; do
		nsenter --net="$file" ip -o -4 addr | grep -qw "$ip" && echo "$file"
	done
}

vif_of() { echo "$all"/*/"pod_default_$1"_*; }
vifs() { find "$all" -mindepth 2 -maxdepth 2 -name 'pod_default_*' -printf '%P\n' | sort | xargs; }

port=6000
# sends NAME FILE RATE: what the pod with this network sends, at twice the rate
sends() {
	port=$((port + 1))
	background peer traffic sink udp $port >/dev/null
	meter_start out eth0 --in --port $port --span 5
	nsenter --net="$2" traffic send udp 10.0.0.2 $port --rate $((2 * $3)) --size 1400 --seconds 6 >/dev/null
	pause 1
	meter_stop out
	check_near "$1: $(meter out rate_bit_per_s) of $3 bit/s" "$(meter out rate_bit_per_s)" "$3" 1
}
# receives NAME FILE RATE ADDRESS
receives() {
	port=$((port + 1))
	background nsenter --net="$2" traffic sink udp $port >/dev/null
	background nsenter --net="$2" wiremeter eth0 --delivered --port $port --span 5 >"$tmp/meter.in"
	# shellcheck disable=SC2034
	meter_in=$!
	busywait 20 file_says "$tmp/meter.in" ready
	peer traffic send udp "$4" $port --rate $((2 * $3)) --size 1400 --seconds 6 >/dev/null
	meter_stop in
	check_near "$1: $(meter in rate_bit_per_s) of $3 bit/s" "$(meter in rate_bit_per_s)" "$3" 1
}

examples=$net_dir/../units/kubernetes

daemonset() {
	since 'the DaemonSet is applied'
	says_in 'the API server accepts all policies' "$(kubectl apply --dry-run=server -f "$examples/netnice/policy.yaml" \
		-f "$examples/minima/access.yaml" -f "$examples/minima/policy.yaml" 2>&1)" \
		'netnice-ranges created' 'clusterrolebinding.rbac.authorization.k8s.io/netnice created' 'netnice-minima created'
	says_in 'kubectl apply -k' "$(kubectl apply -k "$examples/netnice" 2>&1)" 'daemonset.apps/netnice created' 'configmap/netnice-'
	ok 'it is rolled out' kubectl -n netnice rollout status daemonset/netnice --timeout 120s || daemonset_state
	check_eq 'it has the plugin in the list of the network' "$(jq -c '[.plugins[].type]' /etc/cni/net.d/10-pods.conflist)" \
		'["bridge","netnice"]'
	ok 'what is there is what the files say' kubectl diff -k "$examples/netnice"
	ok 'the API server accepts what removes it' kubectl apply --dry-run=server -k "$examples/uninstall"
}

daemonset_state() {
	local file
	note "$(kubectl -n netnice get pods -o wide; kubectl -n netnice get events | cut -c1-300 | tail -n 12)"
	for file in /var/log/pods/netnice_*/*/*.log; do note "$file: $(tail -n 3 "$file")"; done
}

limits() {
	{
		pod cni '{ kubernetes.io/ingress-bandwidth: 10M, kubernetes.io/egress-bandwidth: 5M }' '{}'
		pod g '{ netnice.io/minimum: egress 5M }' "$guaranteed"
		pod b '{ netnice.io/weight: "50" }' "$burstable"
		pod e '{}' '{}'
		pod h '{ netnice.io/bandwidth: egress 3M ingress 4M }' "$burstable" node
	} >"$tmp/pods.yaml"
	ok 'five pods are made' kubectl apply -f "$tmp/pods.yaml"
	ok 'they run' busywait 300 running 5 || note "$(pods; kubectl get events | cut -c1-300 | tail -n 12)"
	since 'they run'
	note "$(vifs)"
	check_eq 'each has its VIF below that of its class' "$(vifs | sed 's/_[0-9a-f]*\( \|$\)/\1/g')" \
		'besteffort/pod_default_cni besteffort/pod_default_e burstable/pod_default_b burstable/pod_default_h guaranteed/pod_default_g'
	check_eq 'a minimum of the class is shared out, as the example has it' "$(xargs <"$(vif_of g)/minimum")" \
		'egress 5mbit ingress none'
	sends "Kubernetes' annotation, sent" "$(netns_of cni)" 5000000
	receives "Kubernetes' annotation, received" "$(netns_of cni)" 10000000 "$(ip_of cni)"
}

# What the API server says to users, before a pod exists
policy() {
	says_in 'a misspelt annotation is refused' "$(pod w '{ netnice.io/wieght: "5" }' '{}' | kubectl apply -f - 2>&1)" \
		'netnice has no annotation netnice.io/wieght' 'netnice.io/weight'
	says_in 'a value that is none' "$(pod w '{ netnice.io/bandwidth: fast }' '{}' | kubectl apply -f - 2>&1)" \
		'netnice.io/bandwidth: use a rate such as 10M'
	says_in 'a rate that no VIF can have: a warning' \
		"$(pod w '{ kubernetes.io/egress-bandwidth: 500G }' '{}' | kubectl apply --dry-run=server -f - 2>&1)" \
		'Warning: ' 'kubernetes.io/egress-bandwidth: netnice limits to rates from 8k to 400G' 'pod/w created'
}

# metric NAME: lines of the plugin's metrics
metric() { curl -s http://10.0.0.1:9991/metrics | grep "^$1"; }

refusals() {
	kubectl apply -f <(pod much '{ netnice.io/minimum: egress 50M, netnice.io/weight: "20" }' "$burstable"
		pod more '{ netnice.io/minimum: egress 50M }' "$burstable"
		pod most '{ netnice.io/minimum: egress 50M }' "$burstable") >/dev/null
	busywait 120 running 8
	check_eq 'the third one finds nothing left of the minimum of its class' \
		"$(cat "$all"/burstable/pod_default_m*/minimum | grep -c 'egress 50mbit')" 2
	check_eq 'a metric says which pod has it not' "$(metric netnice_pod_refused | grep -c 'namespace="default".*setting="minimum"')" 1
	note "$(metric netnice_; kubectl -n netnice logs daemonset/netnice -c nri | tail -n 3)"
	kubectl delete --wait=false pod much more most >/dev/null
	ok 'they end' busywait 60 running 5
	check_eq 'the metric goes with the pod' "$(metric netnice_pod_refused)" ''
}

# pod_sends METER SECONDS: a pod sends, metered, by the process $traffic
pod_sends() {
	port=$((port + 1))
	background peer traffic sink udp $port >/dev/null
	meter_start "$1" eth0 --in --port $port
	background nsenter --net="$(netns_of cni)" traffic send udp 10.0.0.2 $port --rate 10m --size 1400 --seconds "$2" >/dev/null
	traffic=$!
}

# A pod sends while the DaemonSet is updated and the node's programs restart.
update() {
	local before traffic
	cp -r "$examples" "$tmp/mine"
	sed -i 's/weight: 25 /weight: 50 /; s/required: false/required: true/' "$tmp/mine/netnice/nri.yaml"
	before=$(vifs)
	pod_sends out 300
	since 'nri.yaml changes'
	kubectl apply -k "$tmp/mine/netnice" >/dev/null
	ok 'a changed nri.yaml is rolled out' kubectl -n netnice rollout status daemonset/netnice --timeout 120s || daemonset_state
	since 'it is rolled out'
	check_eq 'it holds' "$(xargs <$all/besteffort/weight)" 'egress 50 ingress 50'
	check_eq 'pods have the same VIFs' "$(vifs)" "$before"
	restarts "$before"
	stop "$traffic"
	meter_stop out
	holds_all_along 5000000
}

# restarts VIFS: of both that run pods, while a pod sends
restarts() {
	local was
	stop "$kubelet"
	kubelet_start
	pause 5
	ok 'kubelet restarts: the node is ready' busywait 120 node_ready
	check_eq 'pods have the same VIFs' "$(vifs)" "$1"
	was=$(connections)
	stop "$containerd"
	runtime_start
	ok 'containerd restarts: the plugin finds it' busywait 60 connected_after "$was"
	check_eq 'pods have the same VIFs' "$(vifs)" "$1"
	kubectl apply -f <(pod again '{ netnice.io/weight: "20" }' "$burstable") >/dev/null
	ok 'a new pod runs' busywait 120 running 6
	check_eq 'it has its weight for what it sends' "$(xargs <"$(vif_of again)/weight")" 'egress 20 ingress 100'
	kubectl delete --wait=false pod again >/dev/null
	ok 'it ends' busywait 60 gone again
}

connections() { grep -c 'for containerd' /var/log/pods/netnice_*/nri/*.log | awk -F: '{ n += $NF } END { print n }'; }
connected_after() { pause 1; [ "$(connections)" -gt "$1" ]; }

# holds_all_along RATE [METER]: in any second that was measured; a frame of before may come late
holds_all_along() {
	local most
	most=$(meter "${2-out}" max_1s_bytes)
	check "all along its limit holds: $most bytes in the worst second" \
		"$most <= $1 / 8 + $least_burst + 1514 && $most >= $1 / 8 * 0.99"
}

# sum RATE: resources of a Guaranteed pod that asks the scheduler for so much
sum() { echo "{ requests: { cpu: 10m, memory: 16Mi, netnice.io/egress: $1 }, limits: { cpu: 10m, memory: 16Mi, netnice.io/egress: $1 } }"; }

allocatable() { pause 1; [ "$(api /api/v1/nodes/node | jq -r '.status.allocatable."netnice.io/egress"')" = "$1" ]; }
events_of() { api "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D$1" | jq -r '.items[] | "\(.reason): \(.message)"'; }
event_says() { pause 1; [[ $(events_of "$1") == *"$2"* ]]; }

# as_account NODE CAPACITY: what the API server answers to the plugin of that node, about this one
as_account() {
	curl -sk -X PATCH -H 'Authorization: Bearer admin' -H 'Content-Type: application/merge-patch+json' \
		-H 'Impersonate-User: system:serviceaccount:netnice:netnice' \
		-H "Impersonate-Extra-authentication.kubernetes.io%2fnode-name: $1" \
		-d "{ \"status\": { \"capacity\": { $2 } } }" "$server/api/v1/nodes/node/status" | jq -r .message
}

minima() {
	local n
	kubectl delete --wait=false pod g >/dev/null
	since 'minima'
	ok 'minima that are scheduled: accepted' kubectl apply -k "$tmp/mine/minima"
	ok 'and rolled out' kubectl -n netnice rollout status daemonset/netnice --timeout 120s || daemonset_state
	ok "a node's minimum is a resource of it" busywait 120 allocatable 200M ||
		note "$(api /api/v1/nodes/node | jq -c .status.allocatable; kubectl -n netnice logs daemonset/netnice -c nri | tail -n 3)"
	for n in 1 2 3 4 5; do pod s$n '{ netnice.io/minimum: egress 50M }' "$(sum 50M)"; done >"$tmp/pods.yaml"
	kubectl apply -f "$tmp/pods.yaml" >/dev/null
	ok 'four pods have it all' busywait 120 running 8
	check_eq 'each has its minimum' "$(cat $all/guaranteed/pod_default_s*/minimum | grep -c 'egress 50mbit')" 4
	n=$(pods | awk '$2 == "Pending" { print $1 }')
	ok 'the fifth one waits, and its event says for what' busywait 60 event_says "$n" 'Insufficient netnice.io/egress' ||
		note "$(pods)"
	note "$n: $(events_of "$n")"
	kubectl delete --wait=false pod "$([ "$n" = s1 ] && echo s2 || echo s1)" >/dev/null
	ok 'until one ends' busywait 120 running_is "$n" || note "$(pods; events_of "$n")"
	check_eq 'it has its minimum' "$(xargs <"$(vif_of "$n")/minimum")" 'egress 50mbit ingress none'
	says_in 'an annotation without the resource is refused' \
		"$(pod w '{ netnice.io/minimum: egress 5M }' "$guaranteed" | kubectl apply -f - 2>&1)" 'a minimum needs both'
	says_in 'a pod of another class, too' \
		"$(pod w '{ netnice.io/minimum: egress 5M }' '{ limits: { netnice.io/egress: 5M } }' | kubectl apply -f - 2>&1)" 'of class Guaranteed'
	says_in 'the account changes no other node' "$(as_account other '"netnice.io/egress": "1G"')" 'the plugin of another node'
	says_in 'and nothing else of its node' "$(as_account node '"cpu": "64"')" 'netnice changes its own resources only'
	kubectl delete validatingadmissionpolicybinding netnice-minima >/dev/null
	pause 2
	# nri.yaml says: required
	kubectl apply -f <(pod x '{ netnice.io/minimum: egress 40M }' '{}') >/dev/null
	ok 'a pod that cannot have its minimum: an event of the plugin' busywait 90 event_says x 'BandwidthRefused: ' || note "$(events_of x)"
	ok 'and one of kubelet, as it does not start' busywait 90 event_says x 'FailedCreatePodSandBox: ' || note "$(events_of x)"
	note "$(events_of x | tail -n 3)"
	kubectl delete --wait=false pod x s1 s2 s3 s4 s5 --ignore-not-found >/dev/null
	ok 'they end' busywait 120 running 4 || note "$(pods)"
}
# A namespace has a budget, of which the only node gets all that there is; without the controller it keeps that.
budgets() {
	since 'budgets'
	cp -r "$examples" "$tmp/budgets"
	echo 'namespaces: { shop: { budget: 8M } }' >>"$tmp/budgets/netnice/nri.yaml"
	ok 'budgets: accepted' kubectl apply -k "$tmp/budgets/budget"
	ok 'and rolled out' kubectl -n netnice rollout status daemonset/netnice --timeout 120s || daemonset_state
	ok 'so is the controller' kubectl -n netnice rollout status deployment/netnice-budget --timeout 120s || daemonset_state
	kubectl create namespace shop >/dev/null
	pod s '{}' '{}' | kubectl -n shop apply -f - >/dev/null
	ok 'the node has its part' busywait 120 part_is 'egress 8mbit ingress max' ||
		note "$(xargs <$all/ns_shop/bandwidth; kubectl -n netnice get configmap netnice-budgets -o json | jq -c .data; kubectl -n netnice logs deployment/netnice-budget | tail -n 3)"
	says_in 'one of two controllers has the lease' "$(kubectl -n netnice get lease netnice-budget 2>&1)" 'netnice-budget-'
	kubectl -n netnice scale deployment/netnice-budget --replicas 0 >/dev/null
	pause 20
	check_eq 'without a controller it stays' "$(xargs <$all/ns_shop/bandwidth)" 'egress 8mbit ingress max'
	says_in 'the plugin may read the parts only' "$(kubectl auth can-i --list -n netnice --as system:serviceaccount:netnice:netnice 2>&1)" \
		'netnice-budgets'
	check_eq 'and not write them' "$(kubectl auth can-i update configmaps/netnice-budgets -n netnice --as system:serviceaccount:netnice:netnice 2>&1)" no
	kubectl delete namespace shop --wait=false >/dev/null
	kubectl delete -n netnice deployment/netnice-budget configmap/netnice-budgets lease/netnice-budget >/dev/null
}
part_is() { pause 1; [ "$(xargs <$all/ns_shop/bandwidth)" = "$1" ]; }

running_is() { pause 1; pods | grep -q "^$1 Running "; }

helm() { HOME=$tmp cluster helm "$@"; }

# chart NAME VALUES... : what Helm's template makes of the chart is what kustomize makes of the folder. Only kustomize
# names the ConfigMap by its contents, makes the namespace, gives one to policies, and has no checksum.
chart() {
	local name=$1 made kustomize filter
	shift
	filter='[ .items[] | select(.kind != "Namespace")
		| if .kind == "ConfigMap" then .metadata.name |= sub("^netnice-[a-z0-9]{10}$"; "netnice") else . end
		| if .kind | startswith("ValidatingAdmission") then del(.metadata.namespace) else . end
		| del(.metadata.annotations, .spec.template?.metadata?.annotations?)
		| (.. | .configMap? | select(.name?) | .name) |= sub("^netnice-[a-z0-9]{10}$"; "netnice") ] | sort_by(.kind, .metadata.name)'
	made=$(helm template netnice "$examples" -n netnice "$@" | objects | jq -S "$filter")
	kustomize=$(kubectl kustomize "$examples/$name" | objects | jq -S "$filter")
	check "the chart has objects, $name" "$(jq length <<<"$made") > 5"
	check_eq "the chart has the same objects, $name" "$(diff <(echo "$made") <(echo "$kustomize") | head -n 40)" ''
}
# YAML as a list in JSON
objects() {
	kubectl create --dry-run=client --validate=false -o json -f - |
		jq -s '{ items: map(if .kind == "List" then .items[] else . end) }'
}

daemonset_gone() { pause 1; [ -z "$(api /api/v1/namespaces/netnice/pods | jq -r '.items[].metadata.name')" ]; }
listed() { jq -c '[.plugins[].type]' /etc/cni/net.d/10-pods.conflist; }

# limit_of NAME: 1 if the pod's own interface has one
limit_of() { vifctl -n "$(netns_of "$1")" show eth0 | grep -c 2mbit; }

# The DaemonSet goes, and then all that it has made, while a pod sends.
removal() {
	local before traffic
	since 'the DaemonSet is deleted'
	before=$(vifs)
	pod_sends long 600
	kubectl -n netnice delete daemonset netnice >/dev/null
	ok 'the DaemonSet is deleted: its pods end' busywait 60 daemonset_gone
	check_eq 'pods have the same VIFs' "$(vifs)" "$before"
	kubectl apply -f <(pod late '{ kubernetes.io/egress-bandwidth: 2M }' '{}') >/dev/null
	ok 'a new pod runs' busywait 120 running_is late || note "$(events_of late)"
	sends 'it has its limit, as the program and its entry stay' "$(netns_of late)" 2000000
	since 'uninstall is applied'
	kubectl apply -k "$examples/uninstall" >/dev/null
	ok 'uninstall is rolled out' kubectl -n netnice rollout status daemonset/netnice --timeout 120s || daemonset_state
	check_eq 'the list of the network is as it was' "$(listed)" '["bridge"]'
	ok 'the node has no VIFs of pods' test ! -e $all
	kubectl delete -k "$examples/minima" --ignore-not-found --timeout 120s >/dev/null || note 'kubectl delete -k fails'
	ok 'the objects go' busywait 60 daemonset_gone
	sends 'the limit of a pod that runs stays' "$(netns_of late)" 2000000
	kubectl apply -f <(pod after '{ kubernetes.io/egress-bandwidth: 2M }' '{}') >/dev/null
	ok 'a new pod runs' busywait 120 running_is after || note "$(events_of after)"
	check_eq 'it has no limit, and the one of before has' "$(limit_of after) $(limit_of late)" '0 1'
	stop "$traffic"
	meter_stop long
	holds_all_along 5000000 long
	kubectl delete --wait=false pod late after cni >/dev/null
	ok 'pods end: the runtime still finds the program' busywait 60 gone late
}

# helm_life: the same by Helm
helm_life() {
	since 'helm install'
	kubectl delete namespace netnice --ignore-not-found --timeout 120s >/dev/null
	ok 'helm install' helm install netnice "$examples" -n netnice --create-namespace --wait --timeout 180s
	check_eq 'it has the plugin in the list of the network' "$(listed)" '["bridge","netnice"]'
	ok 'helm upgrade: uninstall' helm upgrade netnice "$examples" -n netnice --set uninstall=true --wait --timeout 180s
	check_eq 'the list of the network is as it was' "$(listed)" '["bridge"]'
	ok 'helm uninstall' helm uninstall netnice -n netnice --wait --timeout 120s
	check_eq 'nothing is left' "$(kubectl get validatingadmissionpolicies,daemonsets -A -o name 2>&1 | grep -c netnice)" 0
}

begin
need netnice containerd cri jq cluster
setup_veth
ip route add default via 10.0.0.2
peer ip route add 10.88.0.0/16 via 10.0.0.1
since 'the control plane starts'
control_plane
since 'the node starts'
node
since 'the node is ready'
daemonset
policy
limits
refusals
update
minima
chart netnice
chart minima --set minima=true
chart budget --set budget=true
chart uninstall --set uninstall=true
budgets
removal
helm_life
since 'end'
ps -eo comm,args,rss --sort=-rss | awk '{ print $1, $3, $NF }' | head -n 9 | sed 's/^/# rss /'
note "$(free -m | sed -n 2p)"
log_clean
