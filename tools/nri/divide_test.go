// SPDX-License-Identifier: GPL-2.0

package main

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"netnice/tools/pod"
)

const mega = 1_000_000

func TestDivide(t *testing.T) {
	for _, c := range []struct {
		rest        uint64
		wants, want []uint64
	}{
		{90, []uint64{limitless, limitless, limitless}, []uint64{30, 30, 30}},
		{90, []uint64{10, limitless, limitless}, []uint64{10, 40, 40}},
		{90, []uint64{limitless, 10, 20}, []uint64{60, 10, 20}},
		{90, []uint64{limitless, 50, 20}, []uint64{35, 35, 20}},
		// what is left is for all
		{90, []uint64{10, 10, 10}, []uint64{30, 30, 30}},
		{90, []uint64{0, 0, 30}, []uint64{20, 20, 50}},
		{0, []uint64{limitless, 5}, []uint64{0, 0}},
		{90, nil, []uint64{}},
	} {
		if got := divide(c.rest, c.wants); !slices.Equal(got, c.want) {
			t.Errorf("%d among %v: %v, want %v", c.rest, c.wants, got, c.want)
		}
	}
}

func TestLeastPart(t *testing.T) {
	if joins(0) != pod.LeastRate || joins(5*mega) != 5*mega {
		t.Error(joins(0), joins(5*mega))
	}
	for _, c := range []struct {
		budget, minimum uint64
		n               int
		want            uint64
	}{
		{480 * mega, 0, 3, 10 * mega},
		{480 * mega, 20 * mega, 3, 20 * mega},
		{480 * mega, 200 * mega, 3, 0},
		{24000, 0, 3, 8000},
		{23999, 0, 3, 0},
		{480 * mega, 0, 0, 0},
	} {
		if got := leastPart(c.budget, c.minimum, c.n); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestStep(t *testing.T) {
	const budget, least = 90 * mega, 2 * mega
	nodes := []string{"a", "b", "c"}
	even := map[string]share{"a": {30 * mega, 30 * mega}, "b": {30 * mega, 30 * mega}, "c": {30 * mega, 30 * mega}}
	is := func(limit, wants uint64) report { return report{limit * mega, wants * mega} }
	all := uint64(limitless / mega)

	for name, c := range map[string]struct {
		state   map[string]share
		nodes   []string
		reports map[string]report
		changed bool
		want    string
	}{
		"nothing is there, and no node had a limit: lowered, until they say so": {nil, nodes,
			map[string]report{"a": is(all, 10), "b": is(all, 100), "c": is(all, 0)}, true,
			"a 10 of 90, b 78 of 90, c 2 of 90"},
		"demand moves: first it is taken away": {even, nodes,
			map[string]report{"a": is(30, 0), "b": is(30, 0), "c": is(30, all)}, true,
			"a 2 of 30, b 2 of 30, c 30 of 30"},
		"what is confirmed can be given": {map[string]share{"a": {2 * mega, 30 * mega}, "b": {2 * mega, 30 * mega}, "c": even["c"]},
			nodes, map[string]report{"a": is(2, 0), "b": is(30, 0), "c": is(30, all)}, true,
			"a 2 of 2, b 2 of 30, c 58 of 58"},
		"what has not been taken away yet can be given back": {map[string]share{"a": {2 * mega, 30 * mega}, "b": even["b"], "c": even["c"]},
			nodes, map[string]report{"a": is(30, all), "b": is(30, all), "c": is(30, all)}, true,
			"a 30 of 30, b 30 of 30, c 30 of 30"},
		"a silent node keeps what it has, and what it may have": {map[string]share{"a": {2 * mega, 30 * mega}, "b": even["b"], "c": even["c"]},
			nodes, map[string]report{"b": is(30, all), "c": is(30, all)}, false,
			"a 2 of 30, b 30 of 30, c 30 of 30"},
		"a new node: its least is taken from the others": {even, append(slices.Clone(nodes), "d"),
			map[string]report{"a": is(30, all), "b": is(30, all), "c": is(30, all)}, true,
			"a 29 of 30, b 29 of 30, c 29 of 30, d 0 of 0"},
		"a node is gone": {even, nodes[:2], map[string]report{"a": is(30, all), "b": is(30, all)}, true,
			"a 45 of 45, b 45 of 45"},
		"a change that does not matter": {even, nodes,
			map[string]report{"a": is(30, 29), "b": is(30, 29), "c": is(30, all)}, false,
			"a 30 of 30, b 30 of 30, c 30 of 30"},
		"the budget was lowered: all is taken away, however little": {
			map[string]share{"a": {31 * mega, 31 * mega}, "b": {31 * mega, 31 * mega}, "c": {31 * mega, 31 * mega}}, nodes,
			map[string]report{"a": is(31, all), "b": is(31, all), "c": is(31, all)}, true,
			"a 30 of 31, b 30 of 31, c 30 of 31"},
	} {
		next, changed := step(budget, least, pod.LeastRate, c.state, c.nodes, c.reports)
		got := ""
		for i, node := range c.nodes {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%s %d of %d", node, next[node].Part/mega, next[node].Held/mega)
		}
		if got != c.want || changed != c.changed {
			t.Errorf("%s: %s, %v; want %s", name, got, changed, c.want)
		}
	}
}

// Nodes apply what is written late or not at all, and are silent. The sum of what they have in force is never above the
// budget.
func TestStepNeverExceeds(t *testing.T) {
	const budget, n = 900 * mega, 8

	for seed := range int64(100) {
		random := rand.New(rand.NewSource(seed))
		state := map[string]share{}
		limits := map[string]uint64{}
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("n", i))
			limits[names[i]] = pod.LeastRate
		}
		for round := range 300 {
			reports := map[string]report{}
			for _, name := range names {
				if random.Intn(3) > 0 {
					wants := uint64(limitless)
					if random.Intn(2) > 0 {
						wants = uint64(random.Int63n(budget))
					}
					reports[name] = report{limits[name], wants}
				}
			}
			if next, changed := step(budget, leastPart(budget, 0, n), joins(0), state, names, reports); changed {
				state = next
			}
			for _, name := range names {
				if s, is := state[name]; is && random.Intn(2) > 0 {
					limits[name] = s.Part
				}
			}
			sum := uint64(0)
			for _, limit := range limits {
				sum += limit
			}
			if sum > budget {
				t.Fatalf("seed %d, round %d: %d of %d: %v, %v", seed, round, sum, budget, state, limits)
			}
		}
	}
}

// The model of examples/budget.awk, with this division: what is used of what could be used.
func TestUsed(t *testing.T) {
	const budget, n, wants, lasts, seconds = 10_000 * mega, 50, 0.3, 100.0, 4000

	for _, period := range []int{0, 2} {
		random := rand.New(rand.NewSource(1))
		state := map[string]share{}
		var names []string
		limits, demands, until := make([]uint64, n), make([]float64, n), make([]float64, n)
		used, could, writes := 0.0, 0.0, 0
		mean := float64(budget) / (n * wants)
		again := func(i int, wanting bool) {
			demands[i] = 0
			last := lasts * (1 - wants) / wants
			if wanting {
				demands[i], last = random.ExpFloat64()*mean, lasts
			}
			until[i] += random.ExpFloat64() * last
		}
		for i := range n {
			names = append(names, fmt.Sprint("n", i))
			state[names[i]] = share{budget / n, budget / n}
			limits[i] = budget / n
			again(i, random.Float64() < wants)
		}
		for second := range seconds {
			all := 0.0
			reports := map[string]report{}
			for i := range n {
				for until[i] <= float64(second) {
					again(i, demands[i] == 0)
				}
				sent := min(demands[i], float64(limits[i]))
				used += sent
				all += demands[i]
				reports[names[i]] = report{limits[i], demand(sent, limits[i])}
			}
			could += min(all, budget)
			if period == 0 || second%period != 0 {
				continue
			}
			next, changed := step(budget, leastPart(budget, 0, n), joins(0), state, names, reports)
			if changed {
				state = next
				writes++
			}
			for i := range n {
				limits[i] = state[names[i]].Part
			}
		}
		t.Logf("moved every %d s: %.0f %% used, %.1f writes per minute", period, 100*used/could, float64(writes)*60/seconds)
		if period > 0 && used < 0.8*could {
			t.Errorf("%.0f %%", 100*used/could)
		}
	}
}
