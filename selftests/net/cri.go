// SPDX-License-Identifier: GPL-2.0

//go:build ignore

// What kubelet does with a runtime, by the interface that it has for that (CRI).
//
// usage: cri pod FILE                     runs a pod, and prints its id
//
//	cri container FILE POD IMAGE COMMAND...
//	                                 starts a container in it, and prints its id
//	cri stop POD                     stops it, with its containers
//	cri remove POD                   removes it
//	cri pods                         prints the ids of those that run
//	cri ready                        fails if the runtime is not
//
// FILE is the pod's configuration (PodSandboxConfig) as JSON. Containers see the machine's
// folders of programs. The runtime's socket is CRI_SOCKET.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// folders that a container has of the machine
var folders = []string{"/bin", "/lib", "/lib64", "/usr", "/selftests"}

func podConfig(file string) (*cri.PodSandboxConfig, error) {
	config := &cri.PodSandboxConfig{}

	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return config, json.Unmarshal(text, config)
}

func runPod(ctx context.Context, c cri.RuntimeServiceClient, args []string) error {
	config, err := podConfig(args[0])
	if err != nil {
		return err
	}
	pod, err := c.RunPodSandbox(ctx, &cri.RunPodSandboxRequest{Config: config})
	if err == nil {
		fmt.Println(pod.PodSandboxId)
	}
	return err
}

func container(ctx context.Context, c cri.RuntimeServiceClient, args []string) error {
	config, err := podConfig(args[0])
	if err != nil {
		return err
	}
	name := fmt.Sprint("c", time.Now().UnixNano())
	want := &cri.ContainerConfig{
		Metadata: &cri.ContainerMetadata{Name: name},
		Image:    &cri.ImageSpec{Image: args[2]},
		Command:  args[3:],
		LogPath:  name + ".log",
		Linux: &cri.LinuxContainerConfig{SecurityContext: &cri.LinuxContainerSecurityContext{
			NamespaceOptions: config.GetLinux().GetSecurityContext().GetNamespaceOptions()}},
	}
	for _, folder := range folders {
		want.Mounts = append(want.Mounts, &cri.Mount{HostPath: folder, ContainerPath: folder, Readonly: true})
	}
	made, err := c.CreateContainer(ctx, &cri.CreateContainerRequest{PodSandboxId: args[1], Config: want,
		SandboxConfig: config})
	if err != nil {
		return err
	}
	fmt.Println(made.ContainerId)
	_, err = c.StartContainer(ctx, &cri.StartContainerRequest{ContainerId: made.ContainerId})
	return err
}

func stop(ctx context.Context, c cri.RuntimeServiceClient, args []string) error {
	_, err := c.StopPodSandbox(ctx, &cri.StopPodSandboxRequest{PodSandboxId: args[0]})
	return err
}

func remove(ctx context.Context, c cri.RuntimeServiceClient, args []string) error {
	_, err := c.RemovePodSandbox(ctx, &cri.RemovePodSandboxRequest{PodSandboxId: args[0]})
	return err
}

func pods(ctx context.Context, c cri.RuntimeServiceClient, _ []string) error {
	list, err := c.ListPodSandbox(ctx, &cri.ListPodSandboxRequest{})
	for _, pod := range list.GetItems() {
		if pod.State == cri.PodSandboxState_SANDBOX_READY {
			fmt.Println(pod.Id)
		}
	}
	return err
}

func ready(ctx context.Context, c cri.RuntimeServiceClient, _ []string) error {
	status, err := c.Status(ctx, &cri.StatusRequest{})
	for _, condition := range status.GetStatus().GetConditions() {
		if !condition.Status {
			err = errors.Join(err, errors.New(condition.Message))
		}
	}
	return err
}

var commands = map[string]struct {
	least int
	run   func(context.Context, cri.RuntimeServiceClient, []string) error
}{
	"pod":       {1, runPod},
	"container": {4, container},
	"stop":      {1, stop},
	"remove":    {1, remove},
	"pods":      {0, pods},
	"ready":     {0, ready},
}

func run(args []string) error {
	command := commands[""]
	if len(args) > 0 {
		command = commands[args[0]]
	}
	if command.run == nil || len(args) <= command.least {
		return errors.New("usage: cri pod|container|stop|remove|pods|ready ...")
	}
	conn, err := grpc.Dial("unix://"+os.Getenv("CRI_SOCKET"),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	return command.run(ctx, cri.NewRuntimeServiceClient(conn), args[1:])
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cri:", err)
		os.Exit(1)
	}
}
