package run_test

// podmanWorks are the modules of podman, with a store, running state and processes of the
// test's own.
func podmanWorks() []work {
	shared := store()
	const container = `image = "localhost/base:1"
 command = ["sh", "-c", "echo ran >>/count/count; exec sleep 1000"]
 networks = ["none"]
 options = ["--stop-signal=KILL"]
`
	const made = `task "podman_network" "made" {
 host = "far"
 name = "made"
}
task "podman_volume" "made" {
 host = "far"
 name = "made"
}
task "podman_build" "made" {
 host = "far"
 name = "localhost/made:1"
 from = "localhost/base:1"
 script = "echo made >/made"
}
task "podman_container" "made" {
 host = "far"
 name = "made"
 ` + container + `}
`
	on := func(before, holds string) *system { return &system{daemons: shared, before: before, holds: holds} }
	const unnamed = "podman untag localhost/far:1 2>/dev/null || :"
	const named = "podman images --format '{{.Repository}}:{{.Tag}}' | grep -cx localhost/far:1 | grep -qx 1"
	return []work{
		{module: "podman_network", text: `name = "far"`, system: on("podman network rm -f far", "podman network ls -q | grep -cx far | grep -qx 1")},
		{module: "podman_volume", text: `name = "far"`, system: on("podman volume rm -f far", "podman volume ls -q | grep -cx far | grep -qx 1")},
		{module: "podman_image", text: "name = \"localhost/far:1\"\n source = \"/image.tar\"", system: on(unnamed, named)},
		{module: "podman_build", text: "name = \"localhost/far:1\"\n from = \"localhost/base:1\"\n script = \"echo made >/made\"", system: on(unnamed, named)},
		{module: "podman_pod", text: "name = \"far\"\n networks = [\"none\"]", system: on("podman pod rm -fa -t 0",
			"podman pod ps --format '{{.Name}} {{.Status}}' | grep -cx 'far Running' | grep -qx 1; podman ps -aq | grep -c . | grep -qx 1")},
		{module: "podman_container", text: "name = \"far\"\n volumes = [\"DIR/host:/count\"]\n " + container, system: on("podman pod rm -fa -t 0; podman rm -fa -t 0",
			"podman ps -a --format '{{.Names}} {{.Status}}' | grep -c '^far Up' | grep -qx 1; podman ps -aq | grep -c . | grep -qx 1")},
		{module: "podman_sweep", text: "all = true", made: made, system: on(":",
			`test -z "$(podman ps -aq --filter name=made)"; test -z "$(podman volume ls -q --filter name=made)"; test -z "$(podman network ls -q --filter name=made)"; `+
				`test -z "$(podman images | grep localhost/made)"; podman volume ls -q | grep -qx kept`)},
	}
}

// store is a podman with an image that has this machine's shell and what it needs.
func store() *daemons {
	return &daemons{need: "podman", uses: []string{"podman", "ldd"}, end: "podman pod rm -fa -t 0; podman rm -fa -t 0", setup: `
mkdir -p /var/lib/containers
mount -t tmpfs store /var/lib/containers
rm -rf /etc/containers/networks
runtime=
[ -e /sys/fs/cgroup/cgroup.controllers ] || [ ! -e /usr/sbin/runc ] || runtime='runtime = "runc"'
cat >/etc/containers/containers.conf <<END
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
$runtime
END
mkdir -p /image/bin
for program in sh sleep base64 cat; do
	cp -L "$(command -v $program)" /image/bin/
	for library in $(ldd "$(command -v $program)" | grep -o '/[^ ]*'); do mkdir -p "/image${library%/*}"; cp -L "$library" "/image$library"; done
done
tar -C /image -cf /files.tar .
inside podman import -q /files.tar localhost/base:1
inside podman import -q --change 'CMD ["sh"]' /files.tar localhost/far:1
inside podman save -q -o /image.tar localhost/far:1
inside podman rmi -f localhost/far:1; inside podman volume create kept`}
}
