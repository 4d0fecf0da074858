package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kinit/engine/diag"
	"kinit/engine/internal/host"
	"kinit/engine/lists"
)

// twinsTime is how long machines with one host key may take to say whether they are the same.
const twinsTime = 5 * time.Second

// twins notes names of a playbook without a cluster that lead to the same machine: its tasks are
// done there for each name. In a cluster that is an error before anything changes.
func twins(ctx context.Context, connections *host.Connections) (diags diag.List) {
	ctx, cancel := context.WithTimeout(ctx, twinsTime)
	defer cancel()
	for _, names := range connections.Twins(ctx) {
		quoted := lists.Map(names, func(name string) string { return fmt.Sprintf("%q", name) })
		diags = append(diags, diag.Diagnostic{Warning: true, Summary: "Same machine twice",
			Detail: fmt.Sprintf("The names %s lead to the same machine. A task on each of them is done there several times.", strings.Join(quoted, " and "))})
	}
	return diags
}
