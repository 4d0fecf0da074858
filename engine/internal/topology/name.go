package topology

import (
	"encoding/hex"
	"fmt"
	"strings"

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
