// SPDX-License-Identifier: GPL-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"log/syslog"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"

	"netnice/tools/pod"
)

// A container on the host's network has a VIF below that of each device by which the host reaches others.
// Root attaches its control group to it; a user, who must not, its first process, in the VIF that each user
// may have. It goes by itself with the last of what is attached.

const triesMost = 10

// eachLine of a file has words.
func eachLine(file string, do func(words []string)) {
	f, err := os.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		do(strings.Fields(lines.Text()))
	}
}

var (
	plainID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`)
	longID  = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// vifName is the container's ID, as short as engines print it. The engines' name of the container is not
// passed to us.
func (c *container) vifName() (string, error) {
	id := c.ID
	if longID.MatchString(id) {
		id = id[:12]
	}
	if name := "container-" + id; plainID.MatchString(id) && len(name) <= 63 {
		return name, nil
	}
	return "", bad("'%s' is no name from which that of a VIF could be made", c.ID)
}

// groupOf is the control group of a container's ID that this is, or is in: what is below it is the
// container's, too; what is above, or has another name, others have.
func groupOf(found, id string) string {
	parts := strings.Split(strings.Trim(found, "/"), "/")
	end := 0

	for i, part := range parts {
		if part == ".." {
			return ""
		}
		if name := strings.TrimSuffix(part, ".scope"); part == id || strings.HasSuffix(name, "-"+id) {
			end = i + 1
		}
	}
	return path.Join(parts[:end]...)
}

// group is the container's control group, as a path of cgroup2.
func (c *container) group() (string, error) {
	var found string

	eachLine(c.proc("cgroup"), func(w []string) {
		if len(w) > 0 && strings.HasPrefix(w[0], "0::") {
			found = strings.TrimPrefix(strings.Join(w, " "), "0::")
		}
	})
	if found = groupOf(found, c.ID); found == "" {
		return "", &pod.Error{Kind: pod.Refused, Message: "the container has no control group (cgroup2) of its own",
			Remedy: "on the host's network the limit is that of the group"}
	}
	return found, nil
}

// ownVIF is the one that each user may have; root has all of the device.
func ownVIF(device string) string {
	if isRoot() {
		return device
	}
	return path.Join(device, fmt.Sprintf("user-%d", outside(os.Geteuid())))
}

// makeVIF makes it with the one above, which comes and goes with what is below it, at any moment: try
// again. The file keeps the VIF as long as it is open.
func makeVIF(t *pod.Tree, device, vif string) (guard *os.File, err error) {
	for i := 0; i < triesMost; i++ {
		var e *pod.Error

		err = nil
		if above := path.Dir(vif); above != device {
			_, err = t.Make(above)
		}
		if err == nil {
			_, err = t.Make(vif)
		}
		if err == nil {
			guard, err = t.Guard(vif)
		}
		if !errors.As(err, &e) || e.Kind != pod.NoVIF {
			break
		}
	}
	return guard, err
}

// attach takes the place of nothing: what an administrator has attached stays.
func (c *container) attach(t *pod.Tree, device, vif string) error {
	if !isRoot() {
		return t.Write(vif, "tasks", strconv.Itoa(c.Pid))
	}
	group, err := c.group()
	if err != nil {
		return err
	}
	thing := path.Join("cgroups", group)
	switch there := t.Attached(thing, device); there {
	case vif:
		return nil
	case "":
		return t.Attach(thing, vif)
	default:
		return &pod.Error{Kind: pod.Refused, Message: fmt.Sprintf("%s is attached to %s already", thing, there)}
	}
}

// limitOn limits what the container sends and receives by one device.
func (c *container) limitOn(t *pod.Tree, device, name string, w *wanted) error {
	vif := path.Join(ownVIF(device), name)
	guard, err := makeVIF(t, device, vif)
	if err != nil {
		return err
	}
	defer guard.Close()
	if err := lowerTo(t, vif, w.limits); err != nil {
		return err
	}
	if err := c.attach(t, device, vif); err != nil {
		return err
	}
	return w.writePart(t, vif)
}

// writePart comes last: what is refused of it does not end the limit.
func (w *wanted) writePart(t *pod.Tree, vif string) (err error) {
	for _, setting := range []struct{ file, value string }{
		{"weight", w.weight}, {"priority", w.priority}, {"minimum", w.minimum},
	} {
		if setting.value != "" {
			err = worse(err, t.Write(vif, setting.file, setting.value))
		}
	}
	if note := t.SharesNeed(vif); err == nil && note != "" && w.part() != "" {
		say(syslog.LOG_WARNING, note)
	}
	return err
}

func (c *container) limitOnHost(w *wanted) error {
	name, err := c.vifName()
	if err != nil {
		return err
	}
	devices, err := pod.DefaultDevices()
	if err != nil {
		return &pod.Error{Kind: pod.Refused, Message: err.Error()}
	}
	if len(devices) == 0 {
		return &pod.Error{Kind: pod.Refused, Message: "the container has the host's network, and that has no default route: " +
			"of which device the limit is to be, is not known"}
	}
	return hostTree(func(t *pod.Tree) (err error) {
		for _, device := range devices {
			err = worse(err, c.limitOn(t, device, name, w))
		}
		return err
	})
}

// hostTree is a mount of ours for root, and for others, who can make none of the host's network, the
// one that is there.
func hostTree(do func(*pod.Tree) error) error {
	if isRoot() {
		return pod.In("/proc/self/ns/net", do)
	}
	t, err := pod.Open(pod.MountPoint)
	if err != nil {
		return &pod.Error{Kind: pod.Refused, Message: "the container has the host's network, where users can limit their own traffic only " +
			"where netnice is mounted: " + err.Error(),
			Remedy: "as root, \"mount -t netnice netnice " + pod.MountPoint + "\""}
	}
	defer t.Close()
	return do(t)
}
