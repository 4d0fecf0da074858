package host

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/nodetest"
)

// onWindows runs a test on a simulated machine, over WinRM and over SSH.
func onWindows(t *testing.T, test func(t *testing.T, h module.Host)) {
	onNode(t, func(t *testing.T, _ *nodetest.Node, h module.Host) { test(t, h) })
}

// onNode gives the test the machine behind the host too.
func onNode(t *testing.T, test func(t *testing.T, n *nodetest.Node, h module.Host)) {
	t.Parallel()
	node := nodetest.Start(t)
	for name, settings := range waysTo(node) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, node, reach(t, settings))
		})
	}
}

// waysTo are settings for all ways to a node, by the names of the hosts.
func waysTo(node *nodetest.Node) map[string]Settings {
	all := map[string]Settings{
		"winrm": {WinRM: true, Port: node.HTTPS, Password: nodetest.Password, Certificate: node.Trust},
		"ntlm":  {WinRM: true, Port: node.HTTP, Password: nodetest.Password, Auth: "ntlm"},
		"ssh":   {OS: module.Windows, Port: node.SSH, HostKeys: []string{node.HostKey}, PrivateKeys: []secret.Value{secret.Value(node.Key)}, NoAgent: true},
	}
	for name, settings := range all {
		settings.Name, settings.Address, settings.User = name, "127.0.0.1", nodetest.User
		settings.Manifests = "C:/ProgramData/kinit-" + name + "/clusters"
		all[name] = settings
	}
	return all
}

// reach is the host that settings lead to, for a cluster.
func reach(t testing.TB, settings Settings) module.Host {
	t.Helper()
	connections := NewConnections(func(context.Context, string) (Settings, error) { return settings, nil }, nil)
	t.Cleanup(func() {
		if err := connections.Close(); err != nil {
			t.Error(err)
		}
	})
	m, err := connections.Get(t.Context(), settings.Name)
	if err != nil {
		t.Fatal(err)
	}
	return m.Bind("c1", nil)
}

func TestCommandsOnWindows(t *testing.T) {
	onWindows(t, func(t *testing.T, h module.Host) {
		cases := []struct {
			name    string
			command module.Command
			want    string
			code    int
		}{
			{"a script", module.Command{PowerShell: "[Console]::Out.Write('é ' + (1 + 2)); exit 3"}, "é 3", 3},
			{"an environment", module.Command{PowerShell: "[Console]::Out.Write(\"$env:KINIT_A|$env:KINIT_B\")", Env: map[string]string{"KINIT_A": "it's $x", "KINIT_B": ""}}, "it's $x|", 0},
			{"a script with parameters", module.Command{PowerShell: "param($a = 'é')\n[Console]::Out.Write(\"$a $env:KINIT_A\"); exit 4", Env: map[string]string{"KINIT_A": "1"}, Dir: "C:/Windows"}, "é 1", 4},
			{"a script that requires binding", module.Command{PowerShell: "[CmdletBinding()] param()\n[Console]::Out.Write('x')", Dir: "C:/Windows"}, "x", 0},
			{"a folder", module.Command{PowerShell: "[Console]::Out.Write((Get-Location).Path)", Dir: "C:/Windows"}, `C:\Windows`, 0},
			{"a folder that is missing", module.Command{PowerShell: "'x'", Dir: "C:/no such folder"}, "", 126},
			{"a program's code", module.Command{Argv: []string{"cmd.exe", "/c", "exit 5"}}, "", 5},
			{"a program that is missing", module.Command{Argv: []string{"no-such-program.exe", "a b"}}, "", 127},
			{"an input", module.Command{PowerShell: "$r = New-Object IO.StreamReader $KinitInput; [Console]::Out.Write($r.ReadToEnd().ToUpper())", Stdin: strings.NewReader("abc")}, "ABC", 0},
		}
		for _, c := range cases {
			out, err := h.Run(t.Context(), c.command)
			var exit *module.ExitError
			code := 0
			if errors.As(err, &exit) {
				code, err = exit.Code, nil
			}
			if err != nil || out.Stdout != c.want || code != c.code {
				t.Errorf("%s: code %d, output %q, stderr %q, error %v", c.name, code, out.Stdout, out.Stderr, err)
			}
		}
	})
}

func TestMarksOnWindows(t *testing.T) {
	onWindows(t, func(t *testing.T, h module.Host) {
		marks := []module.Mark{
			{Kind: "file", ID: "C:/k/kubelet.exe", Prior: "text\n"},
			{Kind: "service", ID: "con"},
			{Kind: "registry", ID: `HKLM\SOFTWARE\x:y`},
		}
		for range 2 {
			for _, mark := range marks {
				if err := h.Own(t.Context(), mark); err != nil {
					t.Fatal(err)
				}
			}
		}
		got, err := h.Marks(t.Context())
		if diff := cmp.Diff(marks, got); diff != "" || err != nil {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
		for _, mark := range marks {
			if err := h.Disown(t.Context(), mark); err != nil {
				t.Error(err)
			}
		}
		if got, err := h.Marks(t.Context()); len(got) > 0 || err != nil {
			t.Errorf("%v are left, error %v", got, err)
		}
	})
}

func TestTheFolderOfMarksIsClosedToOthersOnWindows(t *testing.T) {
	onNode(t, func(t *testing.T, n *nodetest.Node, h module.Host) {
		if err := h.Own(t.Context(), module.Mark{Kind: "file", ID: "x"}); err != nil {
			t.Fatal(err)
		}
		got, err := n.Files.Security(`C:\ProgramData\kinit-` + h.Name() + `\clusters`)
		if err != nil {
			t.Fatal(err)
		}
		var who []string
		for _, e := range got.Entries {
			who = append(who, e.SID)
		}
		slices.Sort(who)
		if want := []string{account.SystemSID, account.AdministratorsSID}; !got.Protected || !slices.Equal(who, want) {
			t.Errorf("%+v", got)
		}
	})
}
