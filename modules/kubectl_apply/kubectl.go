package kubectlapply

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/kubectl"
)

// kubectl runs kubectl with the content on standard input.
func (t *Task) kubectl(ctx context.Context, h module.Host, args ...string) (module.Output, error) {
	c := kubectl.Client{Program: "kubectl", Kubeconfig: t.Kubeconfig}
	return c.Run(ctx, h, t.Content, append(args, "--filename", "-")...)
}
