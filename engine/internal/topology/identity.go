package topology

import (
	"crypto/sha1"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

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

// port is a port without its address.
func (i identities) port(name string) Port {
	return Port{Name: name, MAC: i.mac(name), PortID: id(i.cluster, "port", name)}
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
