# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The checkout as a thing: a name for its content, copies of it to work on, and the page of
# it that has the results of long runs.

checkout_page=Documentation/testing.rst

# checkout_id: a name for what is tested; not the page that the results go to
checkout_id() {
	build_files | cut -d'|' -f1 | grep -vxF "$checkout_page" |
		(cd "$top_dir" && tr '\n' '\0' | xargs -0r sha256sum --) | hash_of
}

# checkout_commit: its name, and whether something has changed since, apart from the page that the
# results go to
checkout_commit() {
	local git=(git -c safe.directory='*' -C "$top_dir") commit
	commit=$("${git[@]}" describe --always --abbrev=12 2>/dev/null) || return
	"${git[@]}" diff --quiet HEAD -- . ":!$checkout_page" || commit+=-dirty
	echo "$commit"
}

# checkout_copy FOLDER
checkout_copy() {
	mkdir -p "$1" && build_files | cut -d'|' -f1 |
		(cd "$top_dir" && tr '\n' '\0' | xargs -0r cp -P --parents -t "$1" --)
}

# checkout_use FOLDER: all that follows is about that copy
checkout_use() {
	top_dir=$1
	lab_dir=$top_dir/selftests/lab
	tests_dir=$top_dir/selftests/net
}

# checkout_forget FOLDER: what was built from a copy, and the copy
checkout_forget() {
	(checkout_use "$1" && rm -rf "$cache_dir/roots"/*/"$(build_dir '')")
	rm -rf "$1"
}

# page_put FILE NAME TEXT: between the comments `NAME: begin` and `NAME: end`
page_put() {
	TEXT=$3 awk -v name="$2" '
		$0 == ".. " name ": end" { skip = 0 }
		!skip { print }
		$0 == ".. " name ": begin" { print "\n" ENVIRON["TEXT"] "\n"; skip = 1 }' "$1" >"$1.new" &&
		mv "$1.new" "$1"
}
