package ordinary

import "testing"

// A root with umask 077 or 027 is what hardening guides ask for. Ansible issue 10279, nexus3-oss pull request 90.
func TestUmaskDoesNotChangeDefaultModes(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.sh(t, `umask 022; mkdir -p /srv/repo; cd /srv/repo; git init -q; echo a >f; mkdir d; echo b >d/g; chmod +x d/g; git add .
git -c user.name=a -c user.email=a@b commit -qm x; git config --global --add safe.directory '*'
cd /srv; mkdir pack; cd pack; echo x >plain; mkdir sub; echo y >sub/run; chmod 755 sub/run; zip -qr ../pack.zip .; tar -czf ../pack.tgz .`)
	const tasks = `
  task "directory" "d" { path = "DIR/a/b" }
  task "copy" "c" {
    dest       = "DIR/a/copy"
    content    = "x"
    depends_on = [task.directory.d]
  }
  task "line_in_file" "l" {
    path       = "DIR/a/line"
    line       = "x"
    create     = true
    depends_on = [task.directory.d]
  }
  task "unarchive" "t" {
    archive    = "/srv/pack.tgz"
    dest       = "DIR/a/tar"
    depends_on = [task.directory.d]
  }
  task "unarchive" "z" {
    archive    = "/srv/pack.zip"
    dest       = "DIR/a/zip"
    depends_on = [task.directory.d]
  }
  task "archive" "a" {
    source     = "/srv/pack"
    dest       = "DIR/a/pack.tar"
    depends_on = [task.directory.d]
  }
  task "git" "g" {
    repository = "/srv/repo"
    dest       = "DIR/a/git"
    depends_on = [task.directory.d]
  }
  task "command" "login" {
    argv       = ["touch", "DIR/a/login"]
    creates    = "DIR/a/login"
    depends_on = [task.directory.d]
  }
`
	for name, c := range map[string]struct{ on, dir string }{
		"root":   {"root", "/srv/new"},
		"sudo":   {"sudo", "/srv/sudo"},
		"a user": {"alice", "/home/alice/new"},
	} {
		t.Run(name, func(t *testing.T) {
			here{
				on:    c.on,
				tasks: replaced(tasks, "DIR", c.dir),
				after: `find ` + c.dir + ` -path '*/.git/*' -prune -o -name '.kinit*' -prune -o -printf '%m %P\n' | sort -k2`,
				want: `755 
755 a
755 a/b
644 a/copy
755 a/git
755 a/git/.git
755 a/git/d
755 a/git/d/g
644 a/git/f
644 a/line
600 a/login
644 a/pack.tar
644 a/pack.tar.kinit-sum
755 a/tar
644 a/tar/plain
755 a/tar/sub
755 a/tar/sub/run
755 a/zip
644 a/zip/plain
755 a/zip/sub
755 a/zip/sub/run
`,
			}.test(t, h)
		})
	}
}
