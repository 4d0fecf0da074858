package inventory

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEachPlaceOfAVariableWinsOverTheOneBefore has two places for each variable: one
// of the list in docs/inventory.md, and the next stronger one. That Ansible has the
// same order is shown by testdata/ansible/precedence.txtar.
func TestEachPlaceOfAVariableWinsOverTheOneBefore(t *testing.T) {
	t.Parallel()
	src := folder(t, map[string]string{
		"a.hcl": `
group "all" { vars = { v1 = "all" } }
group "outer" {
  groups = ["inner", "inner_b", "inner_a"]
  vars   = { v1 = "outer", v2 = "outer" }
}
group "inner" {
  hosts    = ["h"]
  vars     = { v2 = "inner", v3 = "inner", v4 = "inner", v5 = "inner" }
}
group "inner_b" {
  hosts = ["h"]
  vars  = { v3 = "inner_b", v4 = "inner_b" }
}
group "inner_a" {
  hosts    = ["h"]
  priority = 2
  vars     = { v4 = "inner_a" }
}
host "h" { vars = { v8 = "host", v9 = "host" } }
`,
		"b.hcl":                    `group "inner" { vars = { v5 = "inner, later", v6 = "inner" } }`,
		"hosts":                    "[inner]\nh v9=\"host, later\" v10=host\n",
		"group_vars/all.yml":       "v6: all in group_vars\nv7: all in group_vars\n",
		"group_vars/inner.yml":     "v7: inner in group_vars\nv8: inner in group_vars\n",
		"host_vars/h.yml":          "v10: host_vars\n",
		"group_vars/ungrouped.yml": "v1: ungrouped\n",
	})
	inv, diags := Load(t.Context(), src, []string{"a.hcl", "b.hcl", "hosts"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	want := map[string]string{
		"v1": `"outer" from group outer at a.hcl:5,19-26`,
		"v2": `"inner" from group inner at a.hcl:9,21-28`,
		"v3": `"inner_b" from group inner_b at a.hcl:13,18-27`,
		"v4": `"inner_a" from group inner_a at a.hcl:18,21-30`,
		"v5": `"inner, later" from group inner at b.hcl:1,31-45`,
		"v6": `"all in group_vars" from group all at group_vars/all.yml:1,5-22`,
		"v7": `"inner in group_vars" from group inner at group_vars/inner.yml:1,5-24`,
		"v8": `"host" from host at a.hcl:20,26-32`,
		// Behind a name with a value in quotes the place is what stands in the file.
		"v9":  `"host, later" from host at hosts:2,6-19`,
		"v10": `"host_vars" from host at host_vars/h.yml:1,6-15`,
	}
	got := map[string]string{}
	h := inv.Host("h")
	for name, value := range h.Vars {
		origin := h.Origins[name]
		got[name] = asJSON(t, value) + " from " + origin.From + " at " + origin.At.String()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSettingsOfGroupsAreInheritedLikeVariables(t *testing.T) {
	t.Parallel()
	inv, src := load(t, `
group "all" {
  user          = "admin"
  identity_file = "keys/all"
  port          = 22
}
group "far" {
  groups = ["farther"]
  via    = "gate"
  become = true
}
group "farther" {
  hosts = ["a[1:2]"]
  port  = 2222
}
host "a[1:2]" {
  address = "${host.name}.example.com"
}
host "gate" {
  user   = "root"
  become = false
}
host "a3" { address = "192.0.2.3" }
`)
	keys := []string{src.Cwd + "/keys/all"}
	want := []Settings{
		{Name: "a1", Address: "a1.example.com", Port: 2222, User: "admin", Transport: "ssh", Via: "gate", Become: "root", IdentityFiles: keys},
		{Name: "a2", Address: "a2.example.com", Port: 2222, User: "admin", Transport: "ssh", Via: "gate", Become: "root", IdentityFiles: keys},
		{Name: "gate", Address: "gate", Port: 22, User: "root", Transport: "ssh", IdentityFiles: keys},
		{Name: "a3", Address: "192.0.2.3", Port: 22, User: "admin", Transport: "ssh", IdentityFiles: keys},
	}
	var got []Settings
	for _, h := range inv.Hosts {
		got = append(got, h.Settings)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
