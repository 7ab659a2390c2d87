# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# containerd, as a node of Kubernetes has it: pods by CRI (cri.go), their network by CNI, on a
# bridge behind which the node routes; a plugin of NRI; images made without a network.

export CRI_SOCKET=/run/containerd/containerd.sock
nri_plugin=/opt/nri/plugins/10-netnice

# runtime_config: what the guest's root, an initramfs, asks for is a snapshotter without overlays,
# and no pivot_root(2)
runtime_config() {
	mkdir -p /etc/containerd /etc/cni/net.d /etc/nri/conf.d
	# pods get a copy
	touch /etc/resolv.conf
	cat >/etc/containerd/config.toml <<-END
		version = 2
		[plugins."io.containerd.grpc.v1.cri"]
		  sandbox_image = "docker.io/netnice/box:1"
		  restrict_oom_score_adj = true
		  [plugins."io.containerd.grpc.v1.cri".cni]
		    bin_dir = "/opt/cni/bin"
		  [plugins."io.containerd.grpc.v1.cri".containerd]
		    snapshotter = "native"
		    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
		      runtime_type = "io.containerd.runc.v2"
		      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
		        NoPivotRoot = true
		[plugins."io.containerd.nri.v1.nri"]
		  disable = false
		  plugin_path = "/none"
	END
	ln -sf /usr/lib/cni/* /opt/cni/bin/
	cp "$net_dir/../units/netnice.conflist" /etc/cni/net.d/10-netnice.conflist
}

# blob FILE MEDIA-TYPE: puts it into the image, and says what is said of it there
blob() {
	local digest
	digest=$(sha256sum <"$1" | cut -d' ' -f1)
	cp "$1" "$tmp/image/blobs/sha256/$digest"
	jq -nc --arg type "application/vnd.oci.image.$2" --arg digest "sha256:$digest" --argjson size "$(stat -c %s "$1")" \
		'{ mediaType: $type, digest: $digest, size: $size }'
}

# image_import NAME FOLDER: an image of one layer, which is the folder
image_import() {
	local layer config manifest
	mkdir -p "$tmp/image/blobs/sha256"
	tar -C "$2" -cf "$tmp/layer" .
	layer=$(blob "$tmp/layer" layer.v1.tar)
	jq -n --argjson layer "$layer" '{ architecture: "amd64", os: "linux",
		config: { Cmd: ["/box/busybox", "sleep", "1000000"] },
		rootfs: { type: "layers", diff_ids: [ $layer.digest ] } }' >"$tmp/config"
	config=$(blob "$tmp/config" config.v1+json)
	jq -n --argjson config "$config" --argjson layer "$layer" '{ schemaVersion: 2,
		mediaType: "application/vnd.oci.image.manifest.v1+json", config: $config, layers: [ $layer ] }' >"$tmp/manifest"
	manifest=$(blob "$tmp/manifest" manifest.v1+json)
	jq -n --arg name "$1" --argjson manifest "$manifest" '{ schemaVersion: 2, manifests: [ $manifest +
		{ annotations: { "io.containerd.image.name": $name } } ] }' >"$tmp/image/index.json"
	echo '{ "imageLayoutVersion": "1.0.0" }' >"$tmp/image/oci-layout"
	tar -C "$tmp/image" -cf "$tmp/image.tar" .
	quietly ctr -n k8s.io images import --snapshotter native "$tmp/image.tar"
	rm -r "$tmp/image" "$tmp/image.tar" "$tmp/layer"
}

# runtime_image: docker.io/netnice/box:1, which is busybox, and, as a pod's own process, sleeps
runtime_image() {
	mkdir -p "$tmp"/box/{bin,box,dev,etc,lib,lib64,proc,selftests,sys,tmp,usr}
	cp "$(command -v busybox)" "$tmp/box/box/"
	image_import docker.io/netnice/box:1 "$tmp/box"
}

# quietly COMMAND...: what it says is of interest if it fails
quietly() {
	local out
	out=$("$@" 2>&1 </dev/null) || note "failed: $*: $out"
}

runtime_start() {
	background containerd --log-level warn >"$tmp/containerd" 2>&1
	# shellcheck disable=SC2034
	containerd=$!
	busywait 120 cri ready || note "$(cri ready 2>&1) $(cat "$tmp/containerd")"
}

# plugin_start: by itself, as in a DaemonSet. What it says is in $tmp/plugin. It has caught up
# when it has said so.
plugin_start() {
	local before
	touch "$tmp/plugin"
	before=$(plugin_begun)
	# not by background(), which empties the file
	$nri_plugin </dev/null >>"$tmp/plugin" 2>&1 &
	plugin=$!
	defer stop $plugin
	busywait 20 plugin_begun_again "$before"
}

# plugin_begun: how often, by itself or as the runtime did
plugin_begun() { grep -c 'for containerd' "$tmp/plugin"; }
plugin_begun_again() { [ "$(plugin_begun)" -gt "$1" ]; }

plugin_end() { stop "$plugin"; }

# pod_file NAME CLASS ANNOTATIONS [node]: with the control group that kubelet would give it, in $pod_namespace
pod_namespace=default
pod_file() {
	local parent=/kubepods/$2/pod$1 network=0 host=$1
	[ "$2" != guaranteed ] || parent=/kubepods/pod$1
	[ "${4-}" != node ] || network=2 host=
	mkdir -p "$tmp/logs-$1"
	jq -n --arg name "$1" --arg host "$host" --arg parent "$parent" --arg logs "$tmp/logs-$1" --argjson network $network \
		--arg namespace "$pod_namespace" --argjson annotations "$3" '{ metadata: { name: $name, uid: ("uid-" + $name), namespace: $namespace },
		hostname: $host, log_directory: $logs, annotations: $annotations, linux: { cgroup_parent: $parent,
		security_context: { namespace_options: { network: $network, pid: 1 } } } }' >"$tmp/pod-$1"
}

# pod_begin NAME CLASS ANNOTATIONS [node]: its id is in pods[NAME], or what went wrong in $said
declare -A pods
pod_begin() {
	pod_file "$@"
	said=$(cri pod "$tmp/pod-$1" 2>&1) && pods[$1]=$said
}

# pod_end NAME
pod_end() { quietly cri stop "${pods[$1]}"; quietly cri remove "${pods[$1]}"; }

# pod_runs NAME COMMAND...: in a container
pod_runs() { quietly cri container "$tmp/pod-$1" "${pods[$1]}" docker.io/netnice/box:1 "${@:2}"; }

# pod_pid NAME: of the process that a pod has itself
pod_pid() { ctr -n k8s.io task ls | awk -v id="${pods[$1]}" '$1 == id { print $2 }'; }

# inside NAME COMMAND...: in the pod's network
inside() { nsenter --net="/proc/$(pod_pid "$1")/ns/net" -- "${@:2}"; }
