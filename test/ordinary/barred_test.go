package ordinary

import (
	"strings"
	"testing"
)

// Administrators lock files with chattr, root included. Ansible issue 48886.
func TestLockedFilesAreNamedWithTheRemedy(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.sh(t, `umask 022; cd /srv; mkdir -p locked/dir open/dir un repo web; chmod 777 open
for f in locked/file locked/grows open/file locked/dir/old; do echo x >$f; done
ln -s a locked/dir/link; tar -cf un.tar -C web . ; echo x >web/f; tar -cf un.tar -C web f
mkdir -m 700 /home/bob/.ssh; touch /home/bob/.ssh/authorized_keys; chown -R bob: /home/bob/.ssh
lock() { chattr +i "$@"; lsattr -d "$1" | grep -q i; }
lock locked/file open/file locked/dir open/dir un /etc/passwd /home/bob/.ssh/authorized_keys; chattr +a locked/grows`)
	t.Cleanup(func() {
		_ = h.command("cd /srv; chattr -i -a locked/file open/file locked/dir open/dir un /etc/passwd /home/bob/.ssh/authorized_keys locked/grows", "").Run()
	})
	const immutable = `FILE is immutable: "chattr -i FILE" on the host lets it change again: `
	for name, c := range map[string]struct{ on, tasks, file, want string }{
		"copy":                  {"root", "copy\n dest = \"/srv/locked/file\"\n content = \"new\"", "/srv/locked/file", immutable},
		"copy by sudo":          {"sudo", "copy\n dest = \"/srv/locked/file\"\n content = \"new\"", "/srv/locked/file", immutable},
		"shared folder":         {"root", "copy\n dest = \"/srv/open/file\"\n content = \"new\"", "/srv/open/file", immutable},
		"mode":                  {"root", "copy\n dest = \"/srv/locked/file\"\n content = \"x\\n\"\n mode = \"0600\"", "/srv/locked/file", immutable},
		"append":                {"root", "copy\n dest = \"/srv/locked/grows\"\n content = \"new\"", "/srv/locked/grows", `FILE may only be appended to: "chattr -a FILE" on the host lets it change again: `},
		"new file":              {"root", "copy\n dest = \"/srv/locked/dir/new\"\n content = \"new\"", "/srv/locked/dir", immutable},
		"line":                  {"root", "line_in_file\n path = \"/srv/locked/file\"\n line = \"y\"", "/srv/locked/file", immutable},
		"remove":                {"root", "file\n path = \"/srv/locked/file\"\n state = \"absent\"", "/srv/locked/file", immutable},
		"remove a folder":       {"root", "directory\n path = \"/srv/locked/dir\"\n state = \"absent\"", "/srv/locked/dir", immutable},
		"mode of a folder":      {"root", "directory\n path = \"/srv/locked/dir\"\n mode = \"0700\"", "/srv/locked/dir", immutable},
		"folders":               {"root", "directory\n path = \"/srv/open/dir/a/b\"", "/srv/open/dir", immutable},
		"link":                  {"root", "link\n path = \"/srv/locked/dir/link\"\n target = \"b\"", "/srv/locked/dir", immutable},
		"unarchive":             {"root", "unarchive\n archive = \"/srv/un.tar\"\n dest = \"/srv/un\"", "/srv/un", immutable},
		"archive":               {"root", "archive\n source = \"/srv/web\"\n dest = \"/srv/locked/file\"\n format = \"tar\"", "/srv/locked/file", immutable},
		"htpasswd":              {"root", "htpasswd\n path = \"/srv/locked/file\"\n user = \"a\"\n password = \"b\"", "/srv/locked/file", immutable},
		"user":                  {"root", "user\n name = \"locked\"", "/etc/passwd", immutable},
		"authorized_key":        {"root", "authorized_key\n user = \"bob\"\n key = \"" + key + "\"", "/home/bob/.ssh/authorized_keys", immutable},
		"not ours":              {"alice", "copy\n dest = \"/srv/web/new\"\n content = \"new\"", "/srv/web", "the user alice may not write in FILE, which belongs to root:root and has mode 755: set become for the task, or change who may: "},
		"a list":                {"alice", "copy\n dest = \"/srv/list/new\"\n content = \"new\"", "/srv/list", "the user alice may not write in FILE, which belongs to root:root and has mode 775 with an access control list: set become for the task, or change who may: "},
		"a folder on the way":   {"alice", "copy\n dest = \"/home/bob/sub/new\"\n content = \"new\"", "/home/bob", "the user alice may not write in FILE, which belongs to bob:bob and has mode 700: set become for the task, or change who may: "},
		"a program of the user": {"root", "command\n argv = [\"touch\", \"/srv/locked/file\"]", "/srv/locked/file", immutable},
	} {
		t.Run(name, func(t *testing.T) {
			module, args, _ := strings.Cut(c.tasks, "\n")
			here{
				on: c.on, before: `mkdir -p /srv/list; setfacl -m u:bob:rwx,m::rwx /srv/list`,
				tasks: "task \"" + module + "\" \"t\" {\n" + args + "\n}", fails: strings.ReplaceAll(c.want, "FILE", c.file),
			}.test(t, h)
		})
	}
}

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKk3aKmPSM1zKwNtqWLbU9z9Y3wYh5rV5H7oGqzWbkBQ"
