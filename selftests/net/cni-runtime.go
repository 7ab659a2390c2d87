// SPDX-License-Identifier: GPL-2.0

//go:build ignore

// What a runtime does with CNI, by the library that runtimes have: it runs the plugins of a
// network's configuration for one network namespace.
//
// usage: cni-runtime ADD|CHECK|DEL LIST CONTAINER NETNS [CAPABILITIES]
//
// LIST is a file (.conflist), CAPABILITIES what a pod asks for, as JSON. Plugins are looked for
// in CNI_PATH. What ADD results in is printed; an error is, too, with its code, and 1 returned.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/containernetworking/cni/libcni"
	"github.com/containernetworking/cni/pkg/types"
)

func run(args []string) error {
	if len(args) < 5 {
		return errors.New("usage: cni-runtime ADD|CHECK|DEL LIST CONTAINER NETNS [CAPABILITIES]")
	}
	list, err := libcni.ConfListFromFile(args[2])
	if err != nil {
		return err
	}
	pod := &libcni.RuntimeConf{ContainerID: args[3], NetNS: args[4], IfName: "eth0"}
	if len(args) > 5 {
		if err := json.Unmarshal([]byte(args[5]), &pod.CapabilityArgs); err != nil {
			return err
		}
	}
	cni := libcni.NewCNIConfig(filepath.SplitList(os.Getenv("CNI_PATH")), nil)
	switch args[1] {
	case "ADD":
		result, err := cni.AddNetworkList(context.Background(), list, pod)
		if err != nil {
			return err
		}
		return result.Print()
	case "CHECK":
		return cni.CheckNetworkList(context.Background(), list, pod)
	case "DEL":
		return cni.DelNetworkList(context.Background(), list, pod)
	}
	return fmt.Errorf("no such command: %s", args[1])
}

func main() {
	var e *types.Error

	err := run(os.Args)
	if err == nil {
		return
	}
	if errors.As(err, &e) {
		fmt.Printf("code %d: ", e.Code)
	}
	fmt.Println(err)
	os.Exit(1)
}
