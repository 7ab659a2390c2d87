// SPDX-License-Identifier: GPL-2.0

package main

import (
	"cmp"
	"math"
	"slices"

	"netnice/tools/pod"
)

// How a budget is divided among nodes. In no step is the sum of what nodes have, or may still have, above the
// budget: a part is raised only by what other nodes no longer have by their own report. All of this is numbers;
// budget.go asks the nodes and writes the parts. Rates are in bits per second.

// A share is what a node gets of a budget, as the ConfigMap has it.
type share struct {
	Part uint64 `json:"part"`
	// Held is the most that the node may still have: more than Part until it reports that it has applied that.
	Held uint64 `json:"held"`
}

// A report is what a node has at the moment, and wants.
type report struct {
	limit, wants uint64
}

// budgetMost bounds a budget, so that no sum over nodesMost nodes exceeds 64 bits.
const (
	budgetMost = 1e15
	nodesMost  = 10000
)

// demand is what a node wants that has sent at this rate below this limit: as much as it can get if it uses most of
// what it has, and otherwise half as much again, so that it stays below that.
func demand(rate float64, limit uint64) uint64 {
	if rate >= 0.8*float64(limit) {
		return limitless
	}
	return uint64(rate * 1.5)
}

// divide has all wants met, the least first, as far as each gets no more than an equal part of the rest. What is left
// then is for all.
func divide(rest uint64, wants []uint64) []uint64 {
	parts := make([]uint64, len(wants))
	order := make([]int, len(wants))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(wants[a], wants[b]) })
	for n, i := range order {
		parts[i] = min(wants[i], rest/uint64(len(order)-n))
		rest -= parts[i]
	}
	for i := range parts {
		parts[i] += rest / uint64(len(parts))
	}
	return parts
}

func minus(a, b uint64) uint64 {
	if a < b {
		return 0
	}
	return a - b
}

// matters: a change of less than a tenth is not worth a write.
func matters(a, b uint64) bool {
	return max(a, b)-min(a, b) > b/10
}

// joins is what a node has that does not know its part: no limit can be lower, nor below the namespace's minimum.
func joins(minimum uint64) uint64 {
	return max(pod.LeastRate, minimum)
}

// leastPart is the least that each of n nodes gets: enough to show that it wants more. 0: the budget is too small.
func leastPart(budget, minimum uint64, n int) uint64 {
	if n == 0 || budget/uint64(n) < joins(minimum) {
		return 0
	}
	return max(joins(minimum), budget/uint64(16*n))
}

// step gives what the nodes get next, and says whether that differs from what they have. A node without a report
// keeps what it has, and one without a share has that of a new node. Shares of nodes that are not among these are dropped.
func step(budget, least, new uint64, state map[string]share, nodes []string, reports map[string]report) (map[string]share, bool) {
	next := map[string]share{}
	var heard []string
	var wants []uint64
	rest, parts := budget, uint64(0)

	for _, node := range nodes {
		s, has := state[node]
		r, is := reports[node]
		r.limit = min(r.limit, budget)
		switch {
		case !has && is:
			s = share{r.limit, r.limit}
		case !has:
			s = share{new, new}
		case is:
			s.Held = max(s.Part, r.limit)
		}
		if is {
			heard = append(heard, node)
			wants = append(wants, max(least, min(r.wants, budget)))
		} else {
			rest = minus(rest, s.Held)
		}
		parts += s.Part
		next[node] = s
	}
	changed := len(next) != len(state)
	targets := map[string]uint64{}
	for i, target := range divide(rest, wants) {
		targets[heard[i]] = max(target, least)
	}
	free := budget
	for _, node := range nodes {
		s := next[node]
		target, is := targets[node]
		if is && target < s.Part && (matters(target, s.Part) || parts > budget) {
			s.Part = target
			changed = true
			next[node] = s
		}
		free = minus(free, s.Held)
	}
	slices.SortFunc(heard, func(a, b string) int { return cmp.Or(cmp.Compare(next[a].Part, next[b].Part), cmp.Compare(a, b)) })
	for _, node := range heard {
		s := next[node]
		part := min(targets[node], s.Held+free)
		if part > s.Part && matters(part, s.Part) {
			free -= minus(part, s.Held)
			next[node] = share{part, max(part, s.Held)}
			changed = true
		}
	}
	return next, changed
}

// rateOf is bits per second of a counter of bytes that may have begun anew.
func rateOf(before, now uint64, seconds float64) float64 {
	if now < before || seconds <= 0 {
		return 0
	}
	return math.Min(float64(now-before)*8/seconds, budgetMost)
}
