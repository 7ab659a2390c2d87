// SPDX-License-Identifier: GPL-2.0

package pod

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Guard has the VIF removed with the last of what is attached, and keeps it as long as the file is open.
func (t *Tree) Guard(vif string) (*os.File, error) {
	before, _ := t.read("last_error")
	f, err := t.open(filepath.Join(vif, "autoremove"), unix.O_WRONLY)
	if err != nil {
		return nil, t.failed(vif, before, err)
	}
	if _, err := f.WriteString("1\n"); err != nil {
		f.Close()
		return nil, t.failed(vif, before, err)
	}
	return f, nil
}
