//go:build sequences

package e2e

import (
	"strings"
	"testing"
	"time"
)

// plantBeside puts foreign objects of each kind that the cluster has on a hypervisor, and some into its database of the overlay.
const plantBeside = `
set -e
mkdir -p /srv/foreign /var/lib/kinit-foreign
echo content >/srv/foreign/file; chmod 0640 /srv/foreign/file; ln -s file /srv/foreign/link
echo content >/var/lib/kinit-foreign/file
echo "# foreign" >/etc/sysctl.d/90-foreign.conf
printf '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/foreign.service
systemctl --quiet enable foreign.service
tar -C /etc -c hostname | podman import --quiet - foreign:1 >/dev/null
podman volume create foreign >/dev/null
echo content >$(podman volume inspect --format '{{.Mountpoint}}' foreign)/file
podman create --name foreign --volume foreign:/data --volume /unnamed foreign:1 true >/dev/null
podman network create foreign >/dev/null
`

// plantVolatile puts what does not survive a restart of the hypervisor.
const plantVolatile = `
grep -q foreign.example /etc/hosts || echo "192.0.2.9 foreign.example" >>/etc/hosts # podman writes it at each start
nft list table ip foreign >/dev/null 2>&1 || nft 'add table ip foreign; add chain ip foreign input; add rule ip foreign input ip saddr 192.0.2.1 drop'
ip netns list | grep -q '^foreign' || ip netns add foreign
ip link show foreign0 >/dev/null 2>&1 || ip link add foreign0 type bridge
`

const plantOverlay = `
set -e
ovn-nbctl --timeout=30 ls-add foreign -- set Logical_Switch foreign external_ids:of=others
ovn-nbctl --timeout=30 lsp-add foreign foreign-port -- lr-add foreign-router
`

// lookBeside prints content, inodes and attributes of the foreign objects.
const lookBeside = `
find /srv/foreign /var/lib/kinit-foreign /etc/sysctl.d/90-foreign.conf /etc/systemd/system/foreign.service $(podman volume inspect --format '{{.Mountpoint}}' foreign) |
	sort | while read -r f; do stat -c '%n %i %A %u %g %y' "$f"; [ ! -f "$f" ] || sha256sum "$f"; done
systemctl is-enabled foreign.service
grep foreign /etc/hosts
podman inspect --format '{{.Id}} {{.Created}} {{.Image}} {{range .Mounts}}{{.Name}} {{.Source}} {{end}}' foreign
podman volume inspect --format '{{.Name}} {{.CreatedAt}} {{.Labels}}' foreign
podman network inspect --format '{{.ID}} {{.Created}}' foreign
podman image inspect --format '{{.Id}}' foreign:1
nft list table ip foreign
ip netns list | grep -o '^foreign'
ip -o link show foreign0 | grep -o 'foreign0.*link/ether [^ ]*'
`

const lookOverlay = `
for i in $(seq 60); do ovn-nbctl --timeout=5 show >/dev/null 2>&1 && break; sleep 1; done
for table in Logical_Switch Logical_Router; do ovn-nbctl --timeout=10 --columns=_uuid,name,external_ids,ports find $table name=foreign; done
ovn-nbctl --timeout=10 --columns=_uuid,name,options find Logical_Router name=foreign-router
ovn-nbctl --timeout=10 --columns=_uuid,name,type,addresses find Logical_Switch_Port name=foreign-port
`

// beside returns what the foreign objects on a hypervisor are now.
func beside(t *testing.T, host string) string {
	t.Helper()
	script := lookBeside
	if host == "nyctea" {
		script += lookOverlay // its databases are served there
	}
	return on(t, host, script)
}

// loseOfPower ends a hypervisor as a loss of power does, starts it again, and puts back foreign objects that no hypervisor
// keeps over a start.
func loseOfPower(t *testing.T, host string) {
	t.Helper()
	machinePodman(t, "kill", container(host))
	machinePodman(t, "start", container(host))
	said := ""
	for deadline := time.Now().Add(apiPatience); time.Now().Before(deadline); time.Sleep(time.Second) {
		said = on(t, host, "systemctl is-system-running || true")
		if said = strings.TrimSpace(said); said == "running" || said == "degraded" {
			on(t, host, plantVolatile)
			return
		}
	}
	t.Fatalf("%s is %q %s after its start", host, said, apiPatience)
}
