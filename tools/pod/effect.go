// SPDX-License-Identifier: GPL-2.0

package pod

import (
	"path"
	"strings"
)

// isLimit: does the text of a file bandwidth limit a direction?
func isLimit(text string) bool {
	words := strings.Fields(text)
	for i := 1; i < len(words); i += 2 {
		if words[i] != "max" {
			return true
		}
	}
	return false
}

// SharesNeed says what gives minimum, weight and priority of a VIF their effect, if no VIF above it has
// a bandwidth; otherwise nothing. The tools in C decide it in tools/common/effect.c.
func (t *Tree) SharesNeed(vif string) string {
	for above := path.Dir(vif); above != "."; above = path.Dir(above) {
		text, err := t.Read(above, "bandwidth")
		if err != nil || isLimit(text) {
			return ""
		}
	}
	return vif + ": minimum, weight and priority have an effect if a VIF above has a bandwidth, " +
		"or the device drains its VIFs (vifctl enable --link)"
}
