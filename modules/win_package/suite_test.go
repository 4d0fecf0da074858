package winpackage

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/test/winsim/winhost"
)

// agent is a package as the simulated installer reads it.
const agent = `{"kinit-winsim":"msi","product":"` + code + `","name":"Agent","version":"1.2","files":{"C:\\Program Files\\agent\\agent.exe":"x"}}`

func TestSuite(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{Language: "de-DE"})
	h.Put("C:/setup/my agent.msi", agent)
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return decode(t, "path = \"C:/setup/my agent.msi\"\nproduct = \""+code+"\"\nversion = \"1.2\"")
		},
		Absent: func() module.Task { return decode(t, "product = \""+code+"\"\nstate = \"absent\"") },
		Host:   h,
	})
	if _, there := h.Text("C:/Program Files/agent/agent.exe"); there {
		t.Error("the program is still there")
	}
}

func TestInstallersThatAreNotWhatTheyShouldBeAreErrors(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	h.Put("C:/setup/agent.msi", agent)
	for _, c := range []struct{ args, want string }{
		{"path = \"C:/setup/none.msi\"\nproduct = \"" + code + "\"", "there is no installer C:/setup/none.msi"},
		{"path = \"C:/setup/agent.msi\"\nproduct = \"" + code + "\"\nsha256 = \"" + sum + "\"", "sha256 of C:/setup/agent.msi is " +
			"58932020218a19547c4498de4de1a8dfc90e2e5925fcfcf03fafcf804d122ec4, want " + sum},
		{"path = \"C:/setup/agent.msi\"\nproduct = \"Other\"",
			"the installer of agent.msi ended well, and still to do is: install agent.msi: does product or creates name what it makes?"},
	} {
		if got := moduletest.Apply(t, decode(t, c.args), h); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}
