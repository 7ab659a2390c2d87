# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# mutants: are the tests any good? Each line of the file `mutants` is a mistake, which is
# made in a copy of the checkout; then the tests of `check` run, those likely to see it
# first, until one fails. What none of them sees is tried on all that check-all has.
# For the night; it goes on where it was stopped. (The scheduler has its own, and faster:
# selftests/user/mutate.sh.)

# mutants_list: lines `NUMBER FILE OLD NEW TESTS`, separated by tabs
mutants_list() { grep -v '^#' "$lab_dir/mutants" | awk 'NF { print ++n "\t" $0 }'; }

# mutant_text FILE OLD NEW: the file with the mistake; fails if OLD is not there
mutant_text() {
	OLD=$2 NEW=$3 perl -0pe '
		BEGIN { ($old, $new) = @ENV{qw(OLD NEW)}; s/\\n/\n/g, s/\\t/\t/g for $old, $new; $bad = 1 }
		$bad = 0 if s/\Q$old\E/$new/;
		END { exit $bad }' "$top_dir/$1"
}

# mutant_make FILE OLD NEW: in the copy
mutant_make() {
	mutant_text "$@" >"$logs/mutant" && cp "$logs/mutant" "$top_dir/$1"
}

# mutant_tests TESTS: lines `KERNEL TEST`: the likely ones, then (without --likely) the rest of
# `check`, the shortest first
mutant_tests() {
	local test
	{
		for test in $1; do
			case $test in
			*:*) echo "${test/:/ }" ;;
			user) echo 'user core' ;;
			*) echo "uml $test" ;;
			esac
		done
		# shellcheck disable=SC2046
		[ -n "$opt_likely" ] || {
			echo 'user core'
			check_short $(tests_all)
		} | check_guests | sort -n | cut -d' ' -f2,3
	} | awk '!seen[$0]++'
}

# mutant_build KERNEL
mutant_build() {
	if [ "$1" = user ]; then
		build_for_user && root_run bookworm make -s -C "$(build_dir user)/selftests/user" all
	else
		build_all "$1"
	fi
}

# mutant_caught_by: runs the tests that standard input lists until one fails; prints it
mutant_caught_by() {
	local kernel test argument run_seconds built=' '
	while read -r kernel test argument; do
		if [[ $built != *" $kernel "* ]]; then
			mutant_build "$kernel" >"$logs/build" 2>&1 || { echo 'does not build'; return; }
			built+="$kernel "
		fi
		rm -rf "$logs/$kernel-$test"
		# a mistake may have it wait for ever
		run_seconds=$((60 + 8 * $(cat "$cache_dir/times/$kernel-$test" 2>/dev/null || echo 100)))
		check_one "$kernel" "$test" "$argument" </dev/null
		[ "$(count failed "$logs/$kernel-$test")" -gt 0 ] || continue
		echo "$kernel $test"
		return
	done
	echo none
}

# is_short KERNEL TEST: does `check` run it there? Not, if that is no test.
is_short() {
	case " user $all_kernels $uml_all " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
	[ "$1" = user ] && return
	guest_settings "$(test_file "$2")"
	[[ +$guest_check+ = *+$1+* ]]
}

# mutant_try NUMBER FILE OLD NEW TESTS: prints who has caught it
mutant_try() {
	local file=$2 tests=$5 how=check-all who run_short=1
	cp "$top_dir/$file" "$logs/original"
	if mutant_make "$2" "$3" "$4"; then
		who=$(mutant_caught_by < <(mutant_tests "$tests"))
		if [ "$who" = none ] && [ -z "$opt_likely" ]; then
			run_short=''
			who=$(mutant_caught_by < <(all_tests))
		fi
	else
		who='is not there'
	fi
	cp "$logs/original" "$top_dir/$file"
	# shellcheck disable=SC2086
	if is_short $who; then
		how=check
	elif [[ $who = none && -n $opt_likely ]]; then
		how=open who='others not tried'
	elif [[ $who = none || $who = *' not '* ]]; then
		how=none
	fi
	printf '%s\t%s\n' "$how" "$who"
}

# mutants_worker SLOT NUMBER FILE OLD NEW TESTS WHAT: in a copy of its own
mutants_worker() {
	local guest_slot=$1 logs=$state/logs-$1 tree=$state/tree-$1 result
	shift
	mkdir -p "$logs"
	[ -d "$tree" ] || cp -a "$state/tree" "$tree" || return
	# what was stopped has left its mistake there
	cut -f2 <<<"$mutants" | sort -u | while read -r file; do
		cmp -s "$state/tree/$file" "$tree/$file" || cp "$state/tree/$file" "$tree/$file"
	done
	checkout_use "$tree"
	result=$(mutant_try "$@")
	printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$6" "$result" >"$state/found/.$1" &&
		mv "$state/found/.$1" "$state/found/$1"
}

mutants_reap() {
	local pid number
	wait -n -p pid "${!running[@]}"
	[ -n "${pid-}" ] || return
	number=${running[$pid]}
	unset "running[$pid]" "slots[$pid]"
	[ -e "$state/found/$number" ] || die "mutant $number could not be tried; see $state"
	awk -F '\t' '{ printf "%-3s %-28s %-10s %-22s %s\n", $1, $2, $4, $5, $3 }' "$state/found/$number"
}

# mutants_count check|check-all|none|open: so many were found by that
mutants_count() { cat "$state"/found/[0-9]* | grep -c -P "^\d+\t.*\t$1\t"; }

mutants_total() {
	printf '%d mistakes: %d found by make check, %d by make check-all only, %d by none' \
		"$(find "$state/found" -name '[0-9]*' | wc -l)" "$(mutants_count check)" \
		"$(mutants_count check-all)" "$(mutants_count none)"
	[ "$(mutants_count open)" -eq 0 ] ||
		printf ', %d not by the likely tests (others not tried)' "$(mutants_count open)"
}

# mutant_done NUMBER: has it been tried? What --likely has not found is tried again without it.
mutant_done() {
	[ -e "$state/found/$1" ] || return
	[ -n "$opt_likely" ] || ! grep -q -P '^\d+\t.*\topen\t' "$state/found/$1"
}

# mutants_page: the table, a line each
mutants_page() {
	echo "Commit ${commit:-unknown}, $(date +%F): $(mutants_total)."
	echo
	cat "$state"/found/[0-9]* | sort -n | awk -F '\t' '
		BEGIN { rule = "==========================  ==========================  ========================================"
			print rule; printf "%-26s  %-26s  %s\n", "in", "found by", "mistake"; print rule }
		{ by = $5; sub(/ /, ": ", by); if (by == "user: core") by = "user"
			if ($4 == "open") by = "not by the likely tests"
			else if ($4 != "check") by = by " (all)"
			printf "%-26s  %-26s  %s\n", $2, by, $3 }
		END { print rule }'
}

# mutants_renamed: the page, with names of files in the table as the list has them now: a
# mistake is known by what a user would suffer. Who found it, and when, stays. What the list
# has no more was in a file `then'.
mutants_renamed() {
	awk -F '\t' '
		NR == FNR {
			if (!/^#/ && NF) { file[$5] = $1; listed++ }
			next
		}
		/^[0-9]+ of the list have come since[.]$/ { next }
		{ line[++n] = $0 }
		/^[.][.] mutants: (begin|end)$/ { inside = /begin/ }
		inside && /^Commit / { head = n }
		inside && /^[a-z]+\// {
			what = substr($0, 57)
			tried += what in file
			name = what in file ? file[what] : $0
			sub(/(, then)?  .*/, ", then", name)
			line[n] = sprintf("%-26s  %s", name, substr($0, 29))
		}
		END {
			if (tried < listed)
				line[head] = line[head] "\n" listed - tried " of the list have come since."
			for (i = 1; i <= n; i++) print line[i]
		}' "$lab_dir/mutants" "$top_dir/$checkout_page"
}

cmd_mutants() {
	local state mutants line number fields commit page=$top_dir/$checkout_page
	declare -A running=() slots=()
	parse_guest_options mutants "$@"
	[ ${#opt_kernels[@]} -eq 0 ] || { usage mutants >&2; exit 2; }
	if [ -n "$opt_names" ]; then
		mutants_renamed >"$page.new" && mv "$page.new" "$page"
		return
	fi
	commit=$(checkout_commit)
	state=$cache_dir/mutants/$(checkout_id)
	[ -z "$opt_again" ] || rm -rf "$state"
	mkdir -p "$state/found" || die "cannot write to $cache_dir"
	make_once "$state/tree" checkout_copy || die "cannot write to $cache_dir"
	mutants=$(mutants_list)
	[ ${#rest[@]} -eq 0 ] || mutants=$(awk -v wanted=" ${rest[*]} " 'index(wanted, " " $1 " ")' <<<"$mutants")
	check_stopped='the same command goes on from here'
	trap check_stop INT TERM
	while IFS= read -r line; do
		number=${line%%$'\t'*}
		! mutant_done "$number" || continue
		while [ ${#running[@]} -ge "$opt_jobs" ]; do mutants_reap; done
		check_slot
		IFS=$'\t' read -ra fields <<<"$line"
		mutants_worker "$guest_slot" "${fields[@]}" &
		running[$!]=$number
		slots[$!]=$guest_slot
	done <<<"$mutants"
	while [ ${#running[@]} -gt 0 ]; do mutants_reap; done
	[ ${#rest[@]} -gt 0 ] || page_put "$page" mutants "$(mutants_page)"
	mutants_total
	echo
	[ "$(mutants_count check-all)" -le 4 ] && [ "$(mutants_count none)" -eq 0 ] && [ "$(mutants_count open)" -eq 0 ]
}
