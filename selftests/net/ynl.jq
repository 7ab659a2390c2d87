# SPDX-License-Identifier: GPL-2.0
#
# Messages of YNL in the words of nl, a line each: the reply of a do, those of a dump, or
# events, which have a name of their own.
# usage: jq -r --arg name NAME -f ynl.jq

# without regular expressions, which take twice the time
def word:
	split("-") | join("_") | ltrimstr("aqm_")
	| {vif_id: "id", sojourn_histogram: "histogram"}[.] // .;

# by number, as include/uapi has them
def enums: {
	aqm: ["codel", "none"],
	fair: ["flow", "dual-srchost", "dual-dsthost"],
	framing: ["none", "atm", "ptm"],
	kind: ["device", "cgroup", "process", "thread", "socket"],
	origin: ["admin", "user"]
};

def value($word):
	if type == "array" then
		[to_entries[] | select(.value > 0) | "\(.key):\(.value),"] | join("")
	elif . == true then 1
	elif enums[$word] then . as $it | enums[$word] | index($it)
	else . end;

def words($prefix):
	to_entries[]
	| (.key | word) as $word
	| .value
	| if type == "object" then words($prefix + $word + ".")
	else "\($prefix)\($word)=\(value($word))" end;

(if type == "array" then .[] else . end)
| if has("msg") then [.name, (.msg | words(""))] else [$name, words("")] end
| join(" ")
