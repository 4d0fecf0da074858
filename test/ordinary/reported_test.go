package ordinary

import "testing"

// pack makes a Debian package of the name $1 and the version $2; its control files are in the folder control, its files in
// root.
const pack = `umask 022; pack() { rm -rf /tmp/deb; mkdir -p /tmp/deb/DEBIAN; [ ! -d root ] || cp -a root/. /tmp/deb/; [ ! -d control ] || cp -a control/. /tmp/deb/DEBIAN/
printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: T <t@example>\nProvides: case-virtual\nDescription: empty\n' $1 $2 >/tmp/deb/DEBIAN/control
dpkg-deb --root-owner-group -b /tmp/deb /srv/apt/$1_$2.deb >/dev/null; }
index() { cd /srv/apt; dpkg-scanpackages -m . 2>/dev/null >Packages || for d in *.deb; do dpkg-deb -f $d; printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' $d $(stat -c %s $d) $(sha256sum $d | cut -d' ' -f1); done >Packages
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*; echo 'deb [trusted=yes] file:/srv/apt ./' >/etc/apt/sources.list; apt-get -q update >/dev/null; }
mkdir -p /srv/apt /srv/pack; cd /srv/pack; rm -rf root control; `

// TestReportedCases are cases that users of other tools have reported.
func TestReportedCases(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, c := range []struct {
		name, source string
		here
	}{
		{"a login that greets", "Ansible issues 2268 and 25991", here{
			on: "bob", before: `printf 'echo hello from .bashrc\necho and an error >&2\n' >/home/bob/.bashrc`,
			tasks: "task \"copy\" \"c\" {\n dest = \"/home/bob/greeted\"\n content = \"x\"\n}",
			after: "cat /home/bob/greeted", want: "x",
		}},
		{"a login whose shell changes its folder and options", "pyinfra issue 412", here{
			on: "bob", before: `printf 'cd /tmp\nset -u\nset -o noclobber\nalias mv="mv -i"\nexport GREP_OPTIONS=-v CDPATH=/etc IFS=x\n' >/home/bob/.bashrc`,
			tasks: "task \"copy\" \"c\" {\n dest = \"/home/bob/options\"\n content = \"x\"\n}\ntask \"command\" \"c\" {\n argv = [\"sh\", \"-c\", \"pwd >/home/bob/pwd\"]\n}", always: true,
			after: "cat /home/bob/options /home/bob/pwd", want: "x/home/bob\n",
		}},
		{"the folder of the login cannot be entered", "Ansible issues 19729 and 17908, Mitogen issue 636", here{
			on: "asbob", tasks: "task \"shell\" \"s\" {\n commands = \"pwd >/tmp/cwd; echo $HOME >>/tmp/cwd\"\n}", always: true,
			after: "cat /tmp/cwd", want: "/home/bob\n/home/bob\n",
		}},
		{"a user without a shell and a home", "pyinfra issue 437", here{
			on: "svc", before: "mkdir -p /srv/svc; chown svc: /srv/svc",
			tasks: "task \"copy\" \"c\" {\n dest = \"/srv/svc/f\"\n content = \"x\"\n}\ntask \"shell\" \"s\" {\n commands = \"id -un >/srv/svc/who; pwd >>/srv/svc/who\"\n}", always: true,
			after: "cat /srv/svc/f /srv/svc/who; stat -c %U /srv/svc/f", want: "xsvc\n/\nsvc\n",
		}},
		{"a folder that the other user may only enter", "Ansible issue 42983", here{
			on: "svc", before: "mkdir -p /srv/readonly; chmod 755 /srv/readonly",
			tasks: "task \"command\" \"c\" {\n argv = [\"test\", \"-r\", \".\"]\n dir = \"/srv/readonly\"\n read_only = true\n}",
		}},
		{"sudo's secure_path", "Ansible issues 73720, 45219 and 1679", here{
			on: "sudo", before: `echo 'Defaults:alice secure_path=/usr/bin:/bin' >>/etc/sudoers.d/alice; printf '#!/bin/sh\n' >/usr/local/bin/case-tool; chmod 755 /usr/local/bin/case-tool`,
			tasks: "task \"command\" \"c\" {\n argv = [\"case-tool\"]\n read_only = true\n}\ntask \"command\" \"l\" {\n argv = [\"sh\", \"-c\", \"command -v ldconfig\"]\n read_only = true\n}",
		}},
		{"sudo that records what it runs", "Mitogen issue 1306", here{
			on: "sudo", before: `echo 'Defaults:alice log_input, log_output, use_pty, iolog_dir=/var/log/sudo-io' >>/etc/sudoers.d/alice; head -c 300000 /dev/urandom >/srv/random`,
			tasks: "task \"copy\" \"c\" {\n dest = \"/srv/recorded\"\n content = \"a\\r\\nb\\u0004c\\n\"\n}\ntask \"copy\" \"h\" {\n dest = \"/srv/random2\"\n host_source = \"/srv/random\"\n}",
			after: `cmp /srv/random /srv/random2; od -An -c /srv/recorded; sed -i '/log_input/d' /etc/sudoers.d/alice`, want: "   a  \\r  \\n   b 004   c  \\n\n",
		}},
		{"sudo with a umask of its own", "Ansible issue 10279", here{
			on: "sudo", before: `echo 'Defaults:alice umask=0077, umask_override' >>/etc/sudoers.d/alice`,
			tasks: "task \"directory\" \"d\" { path = \"/srv/overridden/x\" }", after: "stat -c %a /srv/overridden /srv/overridden/x; sed -i /umask/d /etc/sudoers.d/alice", want: "755\n755\n",
		}},
		{"a file that is read-only for its owner", "Ansible issue 1768", here{
			on: "bob", before: "echo old >/home/bob/ro; chown bob: /home/bob/ro; chmod 444 /home/bob/ro",
			tasks: "task \"copy\" \"c\" {\n dest = \"/home/bob/ro\"\n content = \"new\"\n}", after: "cat /home/bob/ro; stat -c %a /home/bob/ro", want: "new444\n",
		}},
		{"a link to a file that is not there yet", "Ansible issue 39558", here{
			tasks: "task \"link\" \"l\" {\n path = \"/srv/dangling\"\n target = \"/srv/later\"\n}", after: "readlink /srv/dangling", want: "/srv/later\n",
		}},
		{"a link where a folder is", "Ansible issue 7254", here{
			before: "mkdir -p /srv/real; echo x >/srv/real/data",
			tasks:  "task \"link\" \"l\" {\n path = \"/srv/real\"\n target = \"/srv/elsewhere\"\n}", fails: "/srv/real is a folder", after: "cat /srv/real/data", want: "x\n",
		}},
		{"a folder where a link to a folder is", "Ansible issues 5004 and 58772", here{
			before: "mkdir -p /srv/data; ln -sfn data /srv/alias",
			tasks:  "task \"directory\" \"d\" { path = \"/srv/alias\" }", fails: "/srv/alias is a link",
		}},
		{"a folder below a link to a folder", "Ansible issue 5004", here{
			before: "mkdir -p /srv/data; ln -sfn data /srv/alias",
			tasks:  "task \"directory\" \"d\" { path = \"/srv/alias/sub\" }", after: "cd /srv/data; ls -d sub", want: "sub\n",
		}},
		{"a file where a link is", "Ansible-modules-core issue 1568", here{
			before: "echo target >/srv/target; ln -sfn target /srv/resolv",
			tasks:  "task \"copy\" \"c\" {\n dest = \"/srv/resolv\"\n content = \"new\\n\"\n}", after: "cat /srv/target /srv/resolv", want: "target\nnew\n",
		}},
		{"an archive whose first entry is its private folder", "Ansible issues 80936 and 21397", here{
			before: "mkdir -p /srv/app /srv/src/top; chmod 755 /srv/app; echo x >/srv/src/top/f; chmod 700 /srv/src /srv/src/top; tar -C /srv/src -cf /srv/private.tar .; tar -C /srv/src/top -cf /srv/top.tar .",
			tasks:  "task \"unarchive\" \"u\" {\n archive = \"/srv/private.tar\"\n dest = \"/srv/app\"\n strip = 1\n}", after: "stat -c %a / /srv /srv/app; cat /srv/app/f", want: "755\n755\n755\nx\n",
		}},
		{"a zip file with programs", "Ansible issue 12358, nexus3-oss pull request 90", here{
			before: "mkdir -p /srv/z /srv/unz; printf '#!/bin/sh\n' >/srv/z/run; chmod 755 /srv/z/run; cd /srv/z; rm -f ../z.zip; zip -q ../z.zip run",
			tasks:  "task \"unarchive\" \"u\" {\n archive = \"/srv/z.zip\"\n dest = \"/srv/unz\"\n}", after: "stat -c %a /srv/unz/run", want: "755\n",
		}},
		{"a key for a user without a folder for it", "Ansible issue 2997", here{
			tasks: "task \"authorized_key\" \"k\" {\n user = \"bob\"\n key = \"" + key + "\"\n}",
			after: "stat -c '%U:%G %a' /home/bob/.ssh /home/bob/.ssh/authorized_keys", want: "bob:bob 700\nbob:bob 600\n",
		}},
		{"a key for a user without a home", "Ansible issue 43610, Ansible-modules-core pull request 1614", here{
			tasks: "task \"authorized_key\" \"k\" {\n user = \"svc\"\n key = \"" + key + "\"\n}", fails: "/nonexistent",
		}},
		{"a changed configuration file and a new version", "Ansible issue 2763", here{
			before: pack + `mkdir -p root/etc control; echo one >root/etc/case.conf; echo /etc/case.conf >control/conffiles
pack case-conf 1; echo two >root/etc/case.conf; pack case-conf 2; index; apt-get -q -y install case-conf=1 >/dev/null; echo mine >/etc/case.conf`,
			tasks: "task \"package\" \"p\" {\n names = [\"case-conf=2\"]\n}", after: "cat /etc/case.conf; dpkg-query -W case-conf", want: "mine\ncase-conf\t2\n",
		}},
		{"a package that asks", "Ansible issue 2763", here{
			before: pack + `mkdir -p control; printf '#!/bin/sh\nread -r answer || answer=none\necho "$answer $DEBIAN_FRONTEND" >/srv/answer\n' >control/postinst; chmod 755 control/postinst; pack case-asks 1; index`,
			tasks:  "task \"package\" \"p\" {\n names = [\"case-asks\"]\n}", after: "cat /srv/answer", want: "none noninteractive\n",
		}},
		{"an older version", "Ansible issue 29451", here{
			before: pack + `pack case-old 1; pack case-old 2; index; apt-get -q -y install case-old=2 >/dev/null`,
			tasks:  "task \"package\" \"p\" {\n names = [\"case-old=1\"]\n}", after: "dpkg-query -W case-old", want: "case-old\t1\n",
		}},
		{"a package that is held and installed", "Ansible issue 51218", here{
			before: pack + `pack case-held 1; pack case-held 2; index; apt-get -q -y install case-held=1 >/dev/null; apt-mark hold case-held >/dev/null`,
			tasks:  "task \"package\" \"p\" {\n names = [\"case-held\"]\n}", after: "dpkg-query -W case-held; apt-mark showhold", want: "case-held\t1\ncase-held\n",
		}},
		{"another version of a held package", "Ansible issue 65325", here{
			before: pack + `pack case-pin 1; pack case-pin 2; index; apt-get -q -y install case-pin=1 >/dev/null; apt-mark hold case-pin >/dev/null`,
			tasks:  "task \"package\" \"p\" {\n names = [\"case-pin=2\"]\n held = true\n}", after: "dpkg-query -W case-pin; apt-mark showhold | grep pin", want: "case-pin\t2\ncase-pin\n",
		}},
		{"a package whose installation was cut", "Ansible issue 84882", here{
			before: pack + `mkdir -p control; printf '#!/bin/sh\n[ -e /srv/repaired ]\n' >control/postinst; chmod 755 control/postinst; pack case-cut 1; index
apt-get -q -y install case-cut >/dev/null 2>&1 && exit 1; touch /srv/repaired`,
			tasks: "task \"package\" \"p\" {\n names = [\"case-cut\"]\n}", after: "dpkg-query -W -f '${Status}' case-cut", want: "install ok installed",
		}},
		{"apt is busy for a while", "Ansible issues 51663 and 25414", here{
			before: pack + `pack case-busy 1; index; python3 -c 'import fcntl, os, time
f = open("/var/lib/dpkg/lock-frontend", "a")
fcntl.lockf(f, fcntl.LOCK_EX)
if os.fork() == 0:
    fcntl.lockf(f, fcntl.LOCK_EX)
    time.sleep(2)
time.sleep(0.1)' >/dev/null </dev/null 2>&1`,
			tasks: "task \"package\" \"p\" {\n names = [\"case-busy\"]\n}", after: "dpkg-query -W case-busy", want: "case-busy\t1\n",
		}},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, h) })
	}
}
