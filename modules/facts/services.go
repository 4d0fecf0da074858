package facts

import (
	"context"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// serviceManager returns what starts services. systemd makes its folder before anything else runs
// (man 3 sd_booted), and OpenRC does so too.
func serviceManager(ctx context.Context, h module.Host) (string, error) {
	for _, one := range []struct{ name, folder string }{{"systemd", "/run/systemd/system"}, {"openrc", "/run/openrc"}} {
		there, err := hostfile.Exists(ctx, h, one.folder)
		if there || err != nil {
			return one.name, err
		}
	}
	name, _, err := hostfile.Read(ctx, h, "/proc/1/comm")
	return strings.TrimSpace(name), err
}

// mountsFile has the mounted file systems (man 5 proc).
const mountsFile = "/proc/self/mounts"

// mounts reads the lines of mountsFile. Of two mounts in one folder the later one is seen.
func mounts(text string) map[string]Mount {
	all := map[string]Mount{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 4 {
			continue
		}
		all[unescape(fields[1])] = Mount{Source: unescape(fields[0]), FSType: fields[2], Options: strings.Split(fields[3], ",")}
	}
	return all
}

// unescape replaces what the kernel writes for spaces and the like: a backslash and three octal
// digits.
func unescape(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+4 <= len(text) {
			if code, err := strconv.ParseUint(text[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(code))
				i += 3
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}
