package run_test

// libvirtWorks are the modules of libvirt, with a daemon and guests of the test's own. The
// guests' processor is emulated.
func libvirtWorks() []work {
	shared := libvirt()
	const none = `for d in $(virsh list --all --name); do virsh destroy $d >/dev/null 2>&1 || :; virsh undefine --nvram $d >/dev/null; done
rm -rf /var/lib/libvirt/images/* /var/log/libvirt/qemu/*
qemu-img create -q -f qcow2 /old.qcow2 64M; : >/disc.iso
`
	const guest = `name = "guest"
 virt_type = "qemu"
 vcpus = 1
 memory = "64MiB"
`
	const made = `task "libvirt_volume" "made" {
 host = "far"
 name = "guest"
 size = "64MiB"
}
task "libvirt_domain" "made" {
 host = "far"
 cdroms = ["/disc.iso"]
 disk = task.libvirt_volume.made.path
 ` + guest + `}
`
	const running = "virsh list --name | grep -cx guest | grep -qx 1; pgrep -c qemu-system | grep -qx 1; "
	on := func(holds string) *system { return &system{daemons: shared, before: none, holds: holds} }
	return []work{
		{module: "libvirt_volume", text: "name = \"guest\"\n size = \"64MiB\"", system: on("qemu-img info /var/lib/libvirt/images/guest.qcow2 | grep -q '64 MiB'; ls -A /var/lib/libvirt/images | grep -c . | grep -qx 1")},
		{module: "libvirt_domain", text: "disk = \"/old.qcow2\"\n " + guest, system: on(running)},
		{module: "libvirt_sweep", text: "all = true", made: made, system: on(`test -z "$(virsh list --all --name | grep .)"; test -z "$(ls -A /var/lib/libvirt/images /var/log/libvirt/qemu | grep -v :)"`)},
		{module: "windows_install", text: "domain = \"guest\"\n disk = \"/var/lib/libvirt/images/guest.qcow2\"\n address = \"127.0.0.1\"\n port = DOOR\n eject = [\"/disc.iso\"]",
			made: made, system: on(running + `test -z "$(virsh domblklist guest | grep disc.iso)"`)},
	}
}

// libvirt is a libvirtd with the driver of QEMU, and without control groups.
func libvirt() *daemons {
	return &daemons{need: "libvirt", uses: []string{"libvirtd", "qemu-system-x86_64", "qemu-img", "virsh"}, end: ":", setup: `
grep -q ^libvirt-qemu: /etc/passwd || { echo 'libvirt-qemu:x:64055:64055::/nonexistent:/usr/sbin/nologin' >>/etc/passwd; echo 'libvirt-qemu:x:64055:' >>/etc/group; }
for own in /var/lib/libvirt /etc/libvirt /run/libvirt /var/log/libvirt /var/cache/libvirt; do mkdir -p $own; mount -t tmpfs tmpfs $own; done
mkdir -p /var/lib/libvirt/images /var/log/libvirt/qemu /etc/libvirt/qemu
echo 'auth_unix_rw = "none"' >/etc/libvirt/libvirtd.conf
cat >/etc/libvirt/qemu.conf <<END
user = "root"
group = "root"
security_driver = "none"
cgroup_controllers = [ ]
stdio_handler = "file"
namespaces = [ ]
END
inside libvirtd -d -f /etc/libvirt/libvirtd.conf`}
}
