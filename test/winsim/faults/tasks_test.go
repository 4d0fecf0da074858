package faults

import (
	"strings"
	"testing"

	"kinit/modules"
)

// task is a module that changes something, with arguments that do it and arguments
// that undo it.
type task struct {
	module string
	do     string
	undo   string // empty: nothing is to undo
	// prepare makes what the task needs, once a machine.
	prepare func(t *testing.T, s *site)
	// ready makes the task's work to do again, after undo.
	ready func(t *testing.T, s *site)
	// once is the file to which the task adds "ran;" each time it runs, on a host on
	// which it may run only once.
	once string
	// enough is after how many messages there are only looks that are all alike; 0 for
	// a task without.
	enough int
}

// counted is where commands that are not repeatable say that they ran.
const counted = `C:\Windows\Temp\ran.txt`

// tasks are all of them; url is where a small payload is.
func tasks(url string) []task {
	const (
		temp    = `C:/Windows/Temp`
		product = "{8B9A8FD7-0A62-4A2E-8E6B-0E8B5D0BB2D6}"
		agent   = `{"kinit-winsim":"msi","product":"` + product + `","name":"Agent","version":"1.2","files":{"C:\\Program Files\\agent\\agent.exe":"x"}}`
	)
	absent := func(arguments string) string { return arguments + "\nstate = \"absent\"" }
	return []task{
		{module: "win_command", once: counted,
			do: `argv = ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", "[IO.File]::AppendAllText('C:\\Windows\\Temp\\ran.txt', 'ran;')"]`},
		{module: "win_powershell", once: counted,
			do: `script = "[IO.File]::AppendAllText('C:\\Windows\\Temp\\ran.txt', 'ran;')"`},
		{module: "win_copy", do: `dest = "` + temp + `/app.toml"` + "\ncontent = \"name = 1\"", undo: absent(`dest = "` + temp + `/app.toml"`)},
		{module: "win_template", do: `dest = "` + temp + `/t.toml"` + "\ntemplate = \"name = $${name}\"\nvars = { name = \"web\" }\nprivate = true",
			undo: absent(`dest = "` + temp + `/t.toml"`)},
		{module: "win_file", do: `path = "` + temp + `/app/keys"` + "\nowner = \"S-1-5-32-544\"\nprivate = true", undo: absent(`path = "` + temp + `/app"`)},
		{module: "win_env", do: "name = \"Path\"\nelements = [\"C:/k\"]", undo: absent("name = \"Path\"\nelements = [\"C:/k\"]")},
		{module: "win_feature", do: `names = ["Containers"]`, undo: absent(`names = ["Containers"]`), ready: restartNow},
		{module: "win_service", do: "name = \"kinit-test\"\npath = \"C:/Windows/System32/svchost.exe\"\narguments = [\"-k\", \"kinit\"]\nstart = \"auto\"\nstate = \"started\"",
			undo: absent(`name = "kinit-test"`)},
		{module: "win_registry", do: "key = \"HKLM/SOFTWARE/kinit/test\"\nname = \"list\"\ntype = \"multistring\"\nvalue = [\"a\", \"b\"]",
			undo: absent(`key = "HKLM/SOFTWARE/kinit/test"`)},
		{module: "win_user", do: "name = \"operator\"\npassword = \"Open-Sesame-1\"\ngroups = [\"S-1-5-32-544\"]\nenabled = true", undo: absent(`name = "operator"`)},
		{module: "win_scheduled_task", do: "name = \"kinit/trim\"\nprogram = \"defrag.exe\"\narguments = [\"C:\", \"/L\"]\ndaily = \"03:30\"",
			undo: absent(`name = "kinit/trim"`)},
		{module: "win_firewall", do: "name = \"kinit-test\"\ndisplay_name = \"Kinit\"\nprotocol = \"tcp\"\nlocal_ports = [\"10250\"]", undo: absent(`name = "kinit-test"`)},
		{module: "win_hostname", do: `name = "compute-0"`, undo: `name = "compute-1"`},
		{module: "win_hns_network", do: "name = \"External\"\ntype = \"overlay\"\nadapter = \"Ethernet\"\nsubnet = \"192.168.255.0/30\"\nvni = 9999",
			undo: absent(`name = "External"`), prepare: withContainers},
		{module: "win_defender_exclusion", do: "paths = [\"C:/ProgramData/containerd\"]\nprocesses = [\"containerd.exe\"]",
			undo: absent("paths = [\"C:/ProgramData/containerd\"]\nprocesses = [\"containerd.exe\"]")},
		{module: "win_package", do: "path = \"C:/Windows/Temp/agent.msi\"\nproduct = \"" + product + "\"\nversion = \"1.2\"", undo: absent(`product = "` + product + `"`),
			prepare: func(t *testing.T, s *site) { s.put(t, `C:\Windows\Temp\agent.msi`, []byte(agent)) }},
		{module: "win_download", do: "url = \"" + url + "\"\ndest = \"" + temp + "/payload\"\nsha256 = \"" + sum(payload(small)) + "\"",
			undo: absent(`dest = "` + temp + `/payload"`)},
		{module: "win_reboot", enough: 24, do: `within = "2m"`, prepare: pending, ready: pending},
	}
}

// Modules that are for Windows and change nothing.
func passive(name string) bool { return name == "win_facts" || name == "win_wait" }

func TestEveryModuleForWindowsIsInTheTable(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, c := range tasks("") {
		listed[c.module] = true
	}
	for _, kind := range modules.All() {
		if strings.HasPrefix(kind.Name, "win_") && !passive(kind.Name) && !listed[kind.Name] {
			t.Errorf("%s is restarted nowhere", kind.Name)
		}
	}
}
