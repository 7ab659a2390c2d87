// SPDX-License-Identifier: GPL-2.0

package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"

	"netnice/tools/pod"
)

// interfaces of one network namespace, and their limits
type interfaces map[string]pod.Limits

func (i interfaces) Set(device string, l pod.Limits) error {
	if _, is := i[device]; !is {
		return &pod.Error{Kind: pod.NoInterface, Message: "no interface " + device}
	}
	i[device] = l
	return nil
}

func (i interfaces) Compare(device string, l pod.Limits) error {
	switch had, is := i[device]; {
	case !is:
		return &pod.Error{Kind: pod.NoInterface, Message: "no interface " + device}
	case had != l:
		return &pod.Error{Kind: pod.Changed, Message: "changed"}
	default:
		return nil
	}
}

// kernel has the plugin find these network namespaces instead of the kernel's.
func kernel(t *testing.T, namespaces map[string]interfaces) {
	wasIn, wasLoaded := in, isLoaded
	t.Cleanup(func() { in, isLoaded = wasIn, wasLoaded })
	isLoaded = func() bool { return true }
	in = func(netns string, do func(limiter) error) error {
		if there, is := namespaces[netns]; is {
			return do(there)
		}
		return &pod.Error{Kind: pod.NoNamespace, Message: "no network namespace"}
	}
}

// printed gives what a command prints to its standard output, and its error.
func printed(t *testing.T, command func(*skel.CmdArgs) error, args *skel.CmdArgs) (string, error) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdout
	os.Stdout = write
	err = command(args)
	os.Stdout = was
	write.Close()
	text, _ := io.ReadAll(read)
	return string(text), err
}

var commands = map[string]func(*skel.CmdArgs) error{"ADD": add, "CHECK": check, "DEL": del}

// Runtimes repeat ADD and DEL, and have DEL come first, or after the namespace has gone.
func TestOrders(t *testing.T) {
	long := strings.Repeat("n", 253)
	asked := `"runtimeConfig":{"bandwidth":{"ingressRate":10000000,"egressRate":5000000}}`
	limited := limitsOf(5000000, 0, 10000000, 0)

	for _, c := range []struct {
		orders, netns, device, keys string
		code                        uint // of the last order; 0: none
		want                        pod.Limits
	}{
		{"ADD", "/a", "eth0", asked, 0, limited},
		{"ADD ADD CHECK", "/a", "eth0", asked, 0, limited},
		{"ADD DEL", "/a", "eth0", asked, 0, pod.Limits{}},
		{"ADD DEL DEL", "/a", "eth0", asked, 0, pod.Limits{}},
		{"ADD DEL CHECK", "/a", "eth0", asked, 103, pod.Limits{}},
		{"DEL", "/a", "eth0", asked, 0, pod.Limits{}},
		{"DEL ADD CHECK", "/a", "eth0", asked, 0, limited},
		{"DEL", "", "eth0", asked, 0, pod.Limits{}},
		{"DEL", "/gone", "eth0", asked, 0, pod.Limits{}},
		{"DEL", "/a", "net9", asked, 0, pod.Limits{}},
		{"ADD", "/gone", "eth0", asked, types.ErrUnknownContainer, pod.Limits{}},
		{"CHECK", "/gone", "eth0", asked, types.ErrUnknownContainer, pod.Limits{}},
		{"ADD", "/a", "net9", asked, 102, pod.Limits{}},
		{"CHECK", "/a", "eth0", asked, 103, pod.Limits{}},
		// a pod without a limit needs nothing of the node
		{"ADD CHECK", "/gone", "eth0", "", 0, pod.Limits{}},
		// Multus: another interface of the same pod
		{"ADD CHECK", "/a", "net1", asked, 0, limited},
		{"ADD CHECK", "/" + long, "eth0", asked, 0, limited},
	} {
		there := map[string]interfaces{"/a": {"eth0": {}, "net1": {}}, "/" + long: {"eth0": {}}}
		kernel(t, there)
		var err error
		for _, order := range strings.Fields(c.orders) {
			_, err = printed(t, commands[order], &skel.CmdArgs{ContainerID: long, Netns: c.netns, IfName: c.device,
				Args: "K8S_POD_NAME=" + long + ";K8S_POD_NAMESPACE=" + long, StdinData: stdin(c.keys)})
		}
		var e *types.Error
		if c.code == 0 && err != nil || c.code != 0 && (!errors.As(err, &e) || e.Code != c.code) {
			t.Errorf("%s %s %s: %v, want code %d", c.orders, c.netns, c.device, err, c.code)
		}
		if got := there[c.netns][c.device]; got != c.want {
			t.Errorf("%s %s %s: %+v, want %+v", c.orders, c.netns, c.device, got, c.want)
		}
		for device, got := range there["/a"] {
			if device != c.device && got.Any() {
				t.Errorf("%s %s: %s is limited, too", c.orders, c.device, device)
			}
		}
	}
}

// The result of the plugin before this one is the pod's, whichever addresses it has.
func TestResultPrinted(t *testing.T) {
	for _, ips := range []string{
		`[{"address":"10.0.0.2/24","gateway":"10.0.0.1","interface":0}]`,
		`[{"address":"fd00::2/64","gateway":"fd00::1","interface":0}]`,
		`[{"address":"10.0.0.2/24","interface":0},{"address":"fd00::2/64","interface":0}]`,
		`[]`,
	} {
		previous := `{"cniVersion":"1.0.0","interfaces":[{"name":"eth0","mac":"02:00:00:00:00:01","sandbox":"/a"}],"ips":` +
			ips + `,"routes":[{"dst":"::/0","gw":"fd00::1"}],"dns":{"nameservers":["fd00::53"]}}`
		text := `{"cniVersion":"1.0.0","name":"net","type":"netnice","egressRate":5000000,"prevResult":` + previous + `}`
		there := map[string]interfaces{"/a": {"eth0": {}}}
		kernel(t, there)
		out, err := printed(t, add, &skel.CmdArgs{ContainerID: "c", Netns: "/a", IfName: "eth0", StdinData: []byte(text)})
		if err != nil || there["/a"]["eth0"] != limitsOf(5000000, 0, 0, 0) {
			t.Errorf("%s: %v, %+v", ips, err, there)
		}
		var got, want map[string]any
		for text, value := range map[string]*map[string]any{out: &got, previous: &want} {
			if err := json.Unmarshal([]byte(text), value); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		if ips == "[]" {
			delete(want, "ips")
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// A node without the module: the pod starts, unless it is required.
func TestRequired(t *testing.T) {
	for keys, code := range map[string]uint{`"egressRate":8000`: 0, `"egressRate":8000,"required":true`: 100, `"required":true`: 0} {
		kernel(t, nil)
		in = func(string, func(limiter) error) error {
			return &pod.Error{Kind: pod.NoModule, Message: "no module"}
		}
		var e *types.Error
		_, err := printed(t, add, &skel.CmdArgs{Netns: "/a", IfName: "eth0", StdinData: stdin(keys)})
		if code == 0 && err != nil || code != 0 && (!errors.As(err, &e) || e.Code != code) {
			t.Errorf("%s: %v, want code %d", keys, err, code)
		}
		if err := del(&skel.CmdArgs{Netns: "/a", IfName: "eth0", StdinData: stdin(keys)}); err != nil {
			t.Errorf("DEL: %v", err)
		}
	}
}
