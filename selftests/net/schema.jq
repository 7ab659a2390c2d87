# SPDX-License-Identifier: GPL-2.0
#
# What of its input does not fit a JSON Schema, a line each; as much of the standard as
# Documentation/vifctl.schema.json needs.
# usage: jq -r --slurpfile schema FILE --arg name NAME -f schema.jq

def kind: if type == "number" and . == floor then "integer" else type end;

def wrong($at; $s):
	if $s["$ref"] then
		wrong($at; $schema[0]["$defs"][$s["$ref"] | sub("^#/[$]defs/"; "")])
	else
		. as $it
		| (if $s.type and ([$s.type] | flatten | index($it | kind) | not)
			then "\($at): \(kind), want \($s.type)" else empty end),
		(if $s.enum and ($s.enum | index($it) | not)
			then "\($at): \(tojson), want \($s.enum)" else empty end),
		(if type == "object" then
			(($s.required // [])[] | select(in($it) | not) | "\($at): no \(.)"),
			(keys[] as $k
				| (($s.properties // {})[$k] // $s.additionalProperties // {}) as $sub
				| .[$k] | wrong("\($at).\($k)"; $sub))
		else empty end),
		(if type == "array" and $s.items then
			range(length) as $i | .[$i] | wrong("\($at)[\($i)]"; $s.items)
		else empty end)
	end;

wrong($name; $schema[0]["$defs"][$name])
