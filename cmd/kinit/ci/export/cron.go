package export

import (
	"fmt"
	"path/filepath"
	"strings"

	"kinit/cmd/kinit/ci/jobs"
	"kinit/engine/shell"
)

// cron makes a crontab of a user. CRON_TZ works only with cronie: Debian's cron treats it as
// an environment variable and uses the machine's time zone, which a comment above
// the line says.
func cron(o Options, list []jobs.Job) ([]File, error) {
	var out strings.Builder
	out.WriteString(made(o) + "SHELL=/bin/sh\n")
	zone := ""
	for _, j := range list {
		out.WriteString("\n# " + j.Address() + "\n")
		if z := j.Schedule.Zone; z != zone {
			fmt.Fprintf(&out, "# Debian's cron goes by the machine's own time zone, whatever this says.\nCRON_TZ=%s\n", z)
			zone = z
		}
		run := "cd " + shell.POSIX(filepath.Dir(o.File)) + " && " + line(o, j)
		out.WriteString(j.Schedule.Plain() + " " + strings.ReplaceAll(run, "%", `\%`) + "\n")
	}
	return []File{{"kinit-ci.crontab", out.String()}}, nil
}
