// SPDX-License-Identifier: GPL-2.0

package pod

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// MountPoint is where all programs look for the machine's own tree.
const MountPoint = "/proc/network"

// NETNICE_FS_MAGIC
const fsMagic = 0x6e6e6963

// Open gives the tree that is mounted somewhere. It is to be closed.
func Open(path string) (*Tree, error) {
	var fs unix.Statfs_t

	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	err = unix.Fstatfs(fd, &fs)
	if err == nil && fs.Type != fsMagic {
		err = fmt.Errorf("%s is not of netnice", path)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &Tree{fd}, nil
}

// Close ends a tree of Open.
func (t *Tree) Close() {
	unix.Close(t.fd)
}
