# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The figures that the test `cost` holds a packet's cost against.

gate_file=$tests_dir/cost.figures

# gate_take KERNEL: measures, and puts what was found in the place of what there is
gate_take() {
	local dir=$logs/$1-cost release
	release=$(kernel_release "$1")
	run_guest "$1" cost cost | grep -v '^ok'
	grep -q '^# cost: ' "$dir/ktap" || die "nothing was measured; logs: $dir"
	{
		sed -n '/^#/p' "$gate_file"
		sed '/^#/d' "$gate_file" | grep -v "^$release "
		sed -n "s/^# cost: \(\(plain\|sent\|received\)_[^ ]*\) /$release \1 /p" "$dir/ktap"
	} >"$logs/figures" && mv "$logs/figures" "$gate_file"
}

cmd_gate() {
	local kernel logs
	parse_guest_options gate "$@"
	[ ${#rest[@]} -eq 0 ] || { usage gate >&2; exit 2; }
	[ ${#opt_kernels[@]} -gt 0 ] || read -ra opt_kernels <<<"$all_kernels"
	prepare_guests "${opt_kernels[@]}"
	new_logs
	trap 'exit 130' INT
	for kernel in "${opt_kernels[@]}"; do gate_take "$kernel"; done
	echo "figures: $gate_file"
}
