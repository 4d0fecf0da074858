package lock

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"kinit/engine/module"
)

// identity prints a machine's own identity, which does not depend on inventories.
const identity = `{ read -r id </etc/machine-id; read -r name </proc/sys/kernel/hostname; } 2>/dev/null
echo "$id $name"`

// sorted brings hosts into the order in which all runs take their locks, and leaves out
// those that do not answer. The common order prevents two runs from making each other fail.
func sorted(ctx context.Context, hosts []module.Host) []module.Host {
	type named struct {
		host module.Host
		self string
		err  error
	}
	found := make([]named, len(hosts))
	var all sync.WaitGroup
	for i, h := range hosts {
		found[i].host = h
		if h.OS() == module.Windows {
			continue // the name in the inventory is enough: asking takes seconds
		}
		all.Go(func() {
			out, err := h.Run(ctx, module.Command{Argv: []string{"sh", "-c", identity}, Urgent: true})
			found[i].self, found[i].err = strings.TrimSpace(out.Stdout), err
		})
	}
	all.Wait()
	slices.SortFunc(found, func(a, b named) int {
		return cmp.Or(cmp.Compare(a.self, b.self), cmp.Compare(a.host.Name(), b.host.Name()))
	})
	var answering []module.Host
	for _, n := range found {
		if n.err == nil {
			answering = append(answering, n.host)
		}
	}
	return answering
}
