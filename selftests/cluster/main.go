// SPDX-License-Identifier: GPL-2.0

// A cluster of Kubernetes in one program, for the test cluster.sh: its first argument says which part of
// it runs. One program is built and carried much faster than six, as they share most of their libraries.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	helm "helm.sh/helm/v4/pkg/cmd"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var parts = map[string]func() *cobra.Command{
	"apiserver": apiserver.NewAPIServerCommand,
	"manager":   manager.NewControllerManagerCommand,
	"scheduler": func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubelet":   func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	"kubectl":   kubectl.NewDefaultKubectlCommand,
}

func runHelm() error {
	command, err := helm.NewRootCmd(os.Stdout, os.Args[1:], helm.SetupLogging)
	if err != nil {
		return err
	}
	return command.Execute()
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: cluster etcd|apiserver|manager|scheduler|kubelet|kubectl|helm ARGUMENT...")
		os.Exit(2)
	}
	part := os.Args[1]
	os.Args = append([]string{part}, os.Args[2:]...)
	switch part {
	case "etcd":
		etcdmain.Main(os.Args)
		return
	case "helm":
		// which has said what is wrong
		if runHelm() != nil {
			os.Exit(1)
		}
		return
	}
	command, ok := parts[part]
	if !ok {
		fmt.Fprintf(os.Stderr, "cluster: no part %s\n", part)
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}
