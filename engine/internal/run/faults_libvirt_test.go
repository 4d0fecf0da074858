package run_test

import "kinit/engine/transport/transporttest/ownroot"

// libvirtWorks are the modules of libvirt, with a daemon and guests of the test's own. The
// guests' processor is emulated.
func libvirtWorks() []work {
	shared := libvirt()
	const none = `for d in $(virsh list --all --name); do virsh destroy $d >/dev/null 2>&1 || :; virsh undefine --nvram $d >/dev/null; done
find /var/lib/libvirt/images /var/log/libvirt/qemu -mindepth 1 -delete
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
		{module: "windows_image", text: "path = \"/var/lib/libvirt/images/sealed.qcow2\"\n installer = \"/off.iso\"\n drivers = \"/disc.iso\"\n" +
			" firmware = \"bios\"\n virt_type = \"qemu\"\n vcpus = 1\n memory = \"2GiB\"", system: on(`test -z "$(virsh list --all --name | grep .)"; ` +
			`test "$(ls -A /var/lib/libvirt/images)" = sealed.qcow2; test "$(stat -c %a /var/lib/libvirt/images/sealed.qcow2)" = 444`)},
	}
}

// off makes a CD whose program turns a guest off: the boot record and the catalog of El Torito,
// then mov $0x2000, %ax; mov $0x604, %dx; out %ax, %dx; hlt.
const off = `
put() { printf "$2" | dd of=/off.iso bs=1 seek="$1" conv=notrunc status=none; }
truncate -s 64K /off.iso
put $((17 * 2048)) '\000CD001\001EL TORITO SPECIFICATION'; put $((17 * 2048 + 71)) '\022'
put $((18 * 2048)) '\001'; put $((18 * 2048 + 30)) '\125\252\210'; put $((18 * 2048 + 38)) '\004\000\023'
put $((19 * 2048)) '\270\000\040\272\004\006\357\364'
`

// libvirt is a libvirtd with the driver of QEMU, and without control groups.
func libvirt() *daemons {
	return &daemons{need: "libvirt", uses: []string{"libvirtd", "qemu-system-x86_64", "qemu-img", "virsh"}, end: ":", setup: off + `
grep -q ^libvirt-qemu: /etc/passwd || { echo 'libvirt-qemu:x:64055:64055::/nonexistent:/usr/sbin/nologin' >>/etc/passwd; echo 'libvirt-qemu:x:64055:' >>/etc/group; }
` + ownroot.Libvirt + `echo 'auth_unix_rw = "none"' >/etc/libvirt/libvirtd.conf
inside libvirtd -d -f /etc/libvirt/libvirtd.conf`}
}
