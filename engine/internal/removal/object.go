package removal

import (
	"path"
	"slices"
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
)

// ofSteps returns what steps remove on a host, and what names each. What belongs to a node or pod that the plan
// removes there is left out.
func (c *Consent) ofSteps(host string, removed []module.Removed) (all []event.Removal) {
	for _, one := range removed {
		if len(one.Parts) > 0 {
			all = append(all, c.ofParts(host, one)...)
			continue
		}
		r := event.Removal{Kind: one.Kind, Name: one.Name, Host: host, Why: "the playbook no longer declares it"}
		part := slices.IndexFunc(c.Planned, func(r event.Removal) bool { return r.Host == host && c.has(r, one.Name) })
		switch {
		case part >= 0: // what names the node or pod names it too
			continue
		case one.All:
			r.By, r.Why = c.everything(), "everything of the owner is removed"
		default:
			r.By = c.flag(one.Name)
		}
		r.Name = c.options.Redact(r.Name)
		all = append(all, r)
	}
	return all
}

// ofParts returns the parts of nodes that stay: their nodes go by no removal of the plan.
func (c *Consent) ofParts(host string, removed module.Removed) (all []event.Removal) {
	for _, part := range removed.Parts {
		node, found := c.ports[part]
		goes := func(r event.Removal) bool { return r.Kind == event.RemovedNode && r.Name == node }
		if !found || slices.ContainsFunc(c.Planned, goes) {
			continue
		}
		all = append(all, event.Removal{Kind: removed.Kind, Name: node, Host: host, By: c.flag(node), Why: "the playbook does not keep it, and the node stays"})
	}
	return all
}

// has reports whether an object on the host of a planned removal is, or is a part of, what goes.
func (c *Consent) has(r event.Removal, object string) bool {
	node := c.node(object)
	return r.Kind == event.RemovedNode && node == r.Name || r.Kind == event.RemovedPod && node == ""
}

// node returns the name of the node that an object belongs to by its name, such as a disk
// "shop-web-01-data-1.qcow2" to "shop-web-01", or "".
func (c *Consent) node(object string) string {
	base, longest := path.Base(object), ""
	for _, name := range c.nodes {
		if isPart(base, name) && len(name) > len(longest) {
			longest = name
		}
	}
	return longest
}

func isPart(object, name string) bool {
	rest, found := strings.CutPrefix(object, name)
	return found && (rest == "" || rest[0] == '-' || rest[0] == '.')
}

// flag returns the flag that names an object, or "": by its own name, the last part of its path, or its node's.
func (c *Consent) flag(object string) string {
	node := c.node(object)
	for _, given := range c.options.Inputs.Remove {
		if given == object || given == path.Base(object) || node != "" && (given == node || c.cluster+"-"+given == node) {
			return "--remove " + given
		}
	}
	return c.rebuilds()
}

// everything is what names the removal of all that the owner has.
func (c *Consent) everything() string {
	switch {
	case c.options.Inputs.Recreate:
		return "--recreate"
	case c.options.Inputs.StopAfter != "":
		return "--stop-after " + c.options.Inputs.StopAfter
	}
	return "the playbook"
}
