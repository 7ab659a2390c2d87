// SPDX-License-Identifier: GPL-2.0

package main

import (
	"strings"
	"testing"

	"github.com/containerd/nri/pkg/api"
)

func TestClass(t *testing.T) {
	for parent, want := range map[string]string{
		"/kubepods/pod1-2":                                 guaranteed,
		"/kubepods/burstable/pod1-2":                       burstable,
		"/kubepods/besteffort/pod1-2":                      besteffort,
		"kubepods-pod1_2.slice":                            guaranteed,
		"kubepods-burstable-pod1_2.slice":                  burstable,
		"kubepods-besteffort-pod1_2.slice":                 besteffort,
		"/kubepods.slice/kubepods-pod1.slice":              guaranteed,
		"/kubepods.slice/kubepods-burstable.slice/x.slice": burstable,
		"/root/kubepods/besteffort/pod1":                   besteffort,
		"root-kubepods-burstable-pod1.slice":               burstable,
		"/root/kubepods/pod1":                              guaranteed,
		// where no kubelet is
		"":                              besteffort,
		"/system.slice":                 besteffort,
		"/burstable/pod1":               besteffort,
		"/mykubepods/burstable/pod1":    besteffort,
		"/kubepodsx/pod1":               besteffort,
		"/kubepods/podbesteffort":       guaranteed,
		"/kubepods/burstablex/pod1":     guaranteed,
		"kubepods-podburstable-1.slice": guaranteed,
	} {
		if got := classOf(parent); got != want {
			t.Errorf("%q: %s, want %s", parent, got, want)
		}
	}
}

func TestCgroup(t *testing.T) {
	for parent, want := range map[string]string{
		"/kubepods/burstable/pod1":            "kubepods/burstable/pod1",
		"kubepods-burstable-pod1_2.slice":     "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice",
		"kubepods.slice":                      "kubepods.slice",
		"/kubepods.slice/kubepods-pod1.slice": "kubepods.slice/kubepods-pod1.slice",
		"":                                    "",
		"/../../etc":                          "etc",
		"/kubepods/../..":                     "",
	} {
		if got := cgroupOf(parent); got != want {
			t.Errorf("%q: %q, want %q", parent, got, want)
		}
	}
}

func TestName(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)

	for _, c := range [][3]string{
		{"default", "web-1", "pod_default_web-1_0123456789ab"},
		{"user-1000", "tasks", "pod_user-1000_tasks_0123456789ab"},
		{"..", "a/b\nc", "pod_.._a-b-c_0123456789ab"},
		{"default", "é", "pod_default_-_0123456789ab"},
	} {
		if got := vifName(c[0], c[1], id); got != c[2] {
			t.Errorf("%s %s: %s", c[0], c[1], got)
		}
	}
	if got := vifName("default", strings.Repeat("x", 253), id); len(got) != mostName || !strings.HasSuffix(got, "x_0123456789ab") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	// of the longest names each pod has a VIF of its own
	long := strings.Repeat("n", 63)
	if a, b := vifName(long, strings.Repeat("x", 253), id), vifName(long, strings.Repeat("x", 252)+"y", "f"+id); a == b ||
		len(a) != mostName || len(b) != mostName {
		t.Errorf("%s, %s", a, b)
	}
	// and a name is not cut within what is no ASCII
	if got := vifName("d", strings.Repeat("é", 100), id); len(got) > mostName || strings.Trim(got, "pod_0123456789ab-") != "" {
		t.Error(got)
	}
	if got := vifName("", "", ""); got != "pod___" {
		t.Error(got)
	}
}

func TestNetns(t *testing.T) {
	network := func(path string) *api.LinuxNamespace { return &api.LinuxNamespace{Type: "network", Path: path} }
	mount := &api.LinuxNamespace{Type: "mount"}

	for _, c := range []struct {
		pid        uint32
		namespaces []*api.LinuxNamespace
		file       string
		running    bool
	}{
		{7, []*api.LinuxNamespace{mount, network("/run/netns/x")}, "/run/netns/x", true},
		{7, []*api.LinuxNamespace{network("")}, "/proc/7/ns/net", true},
		{7, []*api.LinuxNamespace{mount}, "", true},
		{0, []*api.LinuxNamespace{mount}, "", true},
		{0, []*api.LinuxNamespace{mount, network("")}, "", false},
		{7, nil, "", false},
		{0, nil, "", false},
	} {
		pod := &api.PodSandbox{Pid: c.pid, Linux: &api.LinuxPodSandbox{Namespaces: c.namespaces}}
		if file, running := netnsOf(pod); file != c.file || running != c.running {
			t.Errorf("%+v: %s, %v", c, file, running)
		}
	}
}

func TestWanted(t *testing.T) {
	c, err := parseConfig("most: { bandwidth: 100M, minimum: 2M, priority: 3 }")
	if err != nil {
		t.Fatal(err)
	}
	pod := &api.PodSandbox{Annotations: map[string]string{"kubernetes.io/config.source": "api"}}
	s, err := sandboxOf(pod, c)
	if err != nil || s.asks || s.wanted[bandwidth] != both(100_000_000) || s.wanted[minimum] != both(0) {
		t.Errorf("a pod that asks for nothing: %+v, %v", s, err)
	}
	pod.Annotations = map[string]string{
		"netnice.io/bandwidth": "egress 5M", "netnice.io/minimum": "3M", "netnice.io/weight": "10000",
		"netnice.io/priority": "0"}
	s, err = sandboxOf(pod, c)
	if err != nil || !s.asks {
		t.Errorf("%+v, %v", s, err)
	}
	for k, want := range map[*kind]pair{bandwidth: {5_000_000, 100_000_000}, minimum: both(2_000_000),
		weight: both(100), priority: both(3)} {
		if s.wanted[k] != want {
			t.Errorf("%s: %v, want %v", k.file, s.wanted[k], want)
		}
	}
	pod.Annotations = map[string]string{"netnice.io/bandwidth": "egress 1M", "netnice.io/minimum": "3M"}
	if s, _ = sandboxOf(pod, c); s.wanted[minimum] != (pair{1_000_000, 2_000_000}) {
		t.Errorf("a minimum beyond the bandwidth: %v", s.wanted[minimum])
	}
	pod.Annotations = map[string]string{"netnice.io/wieght": "3", "netnice.io/minimum": "fast", "netnice.io/weight": "50"}
	s, err = sandboxOf(pod, c)
	if err == nil || !s.asks || s.wanted[weight] != both(50) || s.wanted[minimum] != both(0) {
		t.Errorf("%+v, %v", s, err)
	}
	for _, words := range []string{"no annotation \"netnice.io/wieght\" (did you mean netnice.io/weight?): ", "netnice.io/minimum: \"fast\" is not accepted"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("not in it: %s: %v", words, err)
		}
	}
}

func TestUnknown(t *testing.T) {
	pod := &api.PodSandbox{Annotations: map[string]string{"netnice.io/" + strings.Repeat("b", 4096): "1",
		"netnice.io/c": "1", "netnice.io/a\nx": "1"}}
	_, err := sandboxOf(pod, preset())
	if err == nil || !strings.HasPrefix(err.Error(), "there is no annotation \"netnice.io/a\\nx\", nor 2 others: ") ||
		len(err.Error()) > 200 {
		t.Error(err)
	}
}
