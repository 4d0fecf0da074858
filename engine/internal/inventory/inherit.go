package inventory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/inventory/ansible"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/lists"
)

// inherit gives hosts their groups, and the variables and settings of these.
func (l *loader) inherit() {
	groups := l.inv.groupsOf()
	for _, h := range l.inv.Hosts {
		mine := groups[h.Name]
		h.Groups = lists.Map(mine, func(g *Group) string { return g.Name })
		if len(mine) == 0 {
			mine = []*Group{&l.inv.ungrouped}
			l.inv.ungrouped.Hosts = append(l.inv.ungrouped.Hosts, h.Name)
		}
		slices.SortStableFunc(mine, byPrecedence)
		h.resolve(append([]*Group{&l.inv.all}, mine...))
		l.connect(h)
		for _, g := range append([]*Group{&l.inv.all}, mine...) {
			g.given.apply(&h.Settings)
		}
		h.given.apply(&h.Settings)
	}
}

// groupsOf returns the groups of each host, direct or not, in the order of the inventory.
func (inv *Inventory) groupsOf() map[string][]*Group {
	inv.setDepths()
	all := map[string][]*Group{}
	for _, g := range inv.Groups {
		seen := map[string]bool{}
		members, _ := inv.Members(g.Name)
		for _, name := range members {
			if !seen[name] {
				seen[name] = true
				all[name] = append(all[name], g)
			}
		}
	}
	return all
}

// setDepths counts the groups around each group, along the longest path.
func (inv *Inventory) setDepths() {
	parents := map[string][]*Group{}
	for _, g := range inv.Groups {
		for _, inner := range g.Groups {
			parents[inner] = append(parents[inner], g)
		}
	}
	var depth func(g *Group) int
	depth = func(g *Group) int {
		if g.depth == 0 {
			g.depth = 1
			for _, parent := range parents[g.Name] {
				g.depth = max(g.depth, depth(parent)+1)
			}
		}
		return g.depth
	}
	for _, g := range inv.Groups {
		depth(g)
	}
}

// byPrecedence compares groups of one host: the variables of the later one have priority.
func byPrecedence(a, b *Group) int {
	return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.priority, b.priority), strings.Compare(a.Name, b.Name))
}

// resolve finds the value of each variable by priority. From the weakest to the strongest
// they are: of the group all and of the other groups, in inventories; of the same, in
// group_vars; of the host, in inventories; in host_vars.
func (h *Host) resolve(groups []*Group) {
	h.Vars, h.Origins = map[string]cty.Value{}, map[string]Origin{}
	for _, g := range groups {
		h.learn("group "+g.Name, g.vars)
	}
	for _, g := range groups {
		h.learn("group "+g.Name, g.folder)
	}
	h.learn("host", h.layer.vars)
	h.learn("host", h.folder)
	for name, origin := range h.Origins {
		if origin.Unread == source.Vault {
			h.encrypted(name, origin)
		}
	}
	delete(h.Origins, ansible.EncryptedVars)
}

func (h *Host) learn(from string, vars source.Vars) {
	for name, v := range vars {
		h.Origins[name] = Origin{From: from, At: v.At, Unread: v.Unread, Secret: v.Secret, Why: v.Why}
		delete(h.Vars, name)
		if v.Unread == source.Known {
			h.Vars[name] = v.Value
		}
	}
}

// encrypted reports a variable that Ansible Vault encrypted. That is an error: a default in
// its place could be a well-known password.
func (h *Host) encrypted(name string, origin Origin) {
	what := "The value of " + name + " is"
	if name == ansible.EncryptedVars {
		what = "The variables in this file are"
	}
	if origin.Why != "" {
		h.problem(origin.At, "Encrypted variable", "%s encrypted by Ansible Vault and cannot be decrypted: %s.", what, origin.Why)
		return
	}
	h.problem(origin.At, "Encrypted variable", "%s encrypted by Ansible Vault. Give its password by --vault-password-file, --vault-id or --ask-vault-pass.", what)
}

// connect sets how a host is reached from its variables.
func (l *loader) connect(h *Host) {
	c := connection{h, l}
	c.take(&h.Address, "ansible_host", "ansible_ssh_host")
	if inner := strings.TrimSuffix(strings.TrimPrefix(h.Address, "["), "]"); strings.Contains(inner, ":") {
		h.Address = inner // an IPv6 address, which Ansible takes with brackets, too
	}
	c.port()
	c.take(&h.User, "ansible_user", "ansible_ssh_user")
	if file, _ := c.text("ansible_ssh_private_key_file", "ansible_private_key_file"); file != "" {
		h.IdentityFiles = []string{c.path(file)}
	}
	c.transport()
	c.windows()
	c.become()
	c.password()
	c.arguments()
}
