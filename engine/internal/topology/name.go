package topology

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"kinit/engine/module"
)

// The longest computer name on Windows, and the parts of a shortened name. They follow
// Cluster API's rule for Windows machines in Azure, which its users know.
const (
	computerNameMax  = 15
	computerNameHead = 9
	computerNameTail = 5
)

// nodeName returns the name of a pool's node, with and without the cluster's name.
func nodeName(cluster string, p Pool, index int) (full, short string) {
	pattern := p.Pattern
	if pattern == "" {
		pattern = cluster + "-" + p.Name + "-%02d"
	}
	full = fmt.Sprintf(pattern, index+1)
	return full, strings.TrimPrefix(full, cluster+"-")
}

func isWindows(os string) bool { return strings.HasPrefix(os, "windows") }

// Family returns the family of the node's operating system.
func (n Node) Family() module.OS {
	if isWindows(n.OS) {
		return module.Windows
	}
	return module.Linux
}

// computerName shortens a name for Windows. If the result is in use, the letters after the
// first five are derived from the whole name.
func computerName(name string, taken map[string]bool) string {
	if len(name) <= computerNameMax {
		return name
	}
	tail := name[len(name)-computerNameTail:]
	short := name[:computerNameHead] + "-" + tail
	for try := 0; taken[short]; try++ {
		sum := digest("computer", name, fmt.Sprint(try))
		short = name[:5] + hex.EncodeToString(sum)[:4] + "-" + tail
	}
	return short
}

// macPrefix is the address range of QEMU's guests.
const macPrefix = "52:54:00"

// id derives a UUID from a cluster, the kind of object, and a name.
func id(cluster, what, name string) string {
	space := uuid.NewSHA1(uuid.NameSpaceDNS, []byte(defaultDomain))
	return uuid.NewSHA1(space, []byte(strings.Join([]string{cluster, what, name}, "/"))).String()
}

func digest(parts ...string) []byte {
	sum := sha1.Sum([]byte(strings.Join(parts, "/")))
	return sum[:]
}

// identities derives values that are unique in one cluster.
type identities struct {
	cluster string
	macs    map[string]bool // addresses in use
}

// newIdentities returns the identities of a cluster, of which some places exist.
func newIdentities(cluster string, existing []Place) identities {
	i := identities{cluster: cluster, macs: map[string]bool{}}
	for _, p := range existing {
		if p.MAC != "" {
			i.macs[p.MAC] = true
		}
	}
	return i
}

// portID is the name in OVN of the port of a node or a pod.
func portID(cluster, name string) string { return id(cluster, "port", name) }

// port is a port without its address. It keeps the Ethernet address that its place has.
func (i identities) port(name string, place Place) Port {
	mac := place.MAC
	if mac == "" {
		mac = i.mac(name)
	}
	return Port{Name: name, MAC: mac, PortID: portID(i.cluster, name)}
}

// mac derives an address. Three bytes may collide, so a used address is derived again;
// earlier ports keep theirs.
func (i identities) mac(name string) string {
	for try := 0; ; try++ {
		sum := digest(i.cluster, "mac", name, fmt.Sprint(try))
		mac := fmt.Sprintf("%s:%02x:%02x:%02x", macPrefix, sum[0], sum[1], sum[2])
		if !i.macs[mac] {
			i.macs[mac] = true
			return mac
		}
	}
}
