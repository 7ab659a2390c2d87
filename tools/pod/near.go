// SPDX-License-Identifier: GPL-2.0

package pod

// mostCompared bounds the work that a name costs whose length a user chooses.
const mostCompared = 64

// Distance is how many letters have to be added, removed or replaced to make b of a (Levenshtein). Names that
// are much longer than ours are as far as they are long.
func Distance(a, b string) int {
	if len(a) > mostCompared {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 0; i < len(a); i++ {
		diagonal := row[0]
		row[0] = i + 1
		for j := 0; j < len(b); j++ {
			least := diagonal
			if a[i] != b[j] {
				least++
			}
			diagonal = row[j+1]
			for _, other := range []int{row[j] + 1, diagonal + 1} {
				if other < least {
					least = other
				}
			}
			row[j+1] = least
		}
	}
	return row[len(b)]
}
