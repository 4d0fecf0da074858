package export

import (
	"fmt"
	"path/filepath"
	"strings"

	"kinit/cmd/kinit/ci/jobs"
	"kinit/engine/shell"
)

// systemd makes a service and a timer of each job, see systemd.service(5) and
// systemd.timer(5). The timer makes up for a missed time. The service gets
// time to clean up when it is stopped.
func systemd(o Options, list []jobs.Job) ([]File, error) {
	var files []File
	for _, j := range list {
		unit := "kinit-ci-" + j.Address()
		service := made(o) + fmt.Sprintf(`[Unit]
Description=kinit job %s
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
WorkingDirectory=%s
StateDirectory=kinit-ci
StateDirectoryMode=0700
Environment=XDG_STATE_HOME=%%S/kinit-ci
ExecStart=%s
TimeoutStartSec=%dmin
KillMode=mixed
TimeoutStopSec=%dmin
`, j.Address(), specifiers(filepath.Dir(o.File)), execLine(command(o, j)), minutes(j), int(j.CleanupTimeout.Minutes())+1)
		timer := made(o) + fmt.Sprintf("[Unit]\nDescription=When kinit job %s is due\n\n[Timer]\n", j.Address())
		for _, calendar := range j.Schedule.Calendars() {
			timer += "OnCalendar=" + calendar + "\n"
		}
		timer += "Persistent=true\nAccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n"
		files = append(files, File{unit + ".service", service}, File{unit + ".timer", timer})
	}
	return files, nil
}

// specifiers doubles percent signs, which systemd would expand.
func specifiers(text string) string { return strings.ReplaceAll(text, "%", "%%") }

var execEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$")

// execLine quotes the words of a command as systemd.service(5) says.
func execLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		word = execEscapes.Replace(word)
		if word == "" || strings.ContainsAny(word, " \t'\"\\;") {
			word = `"` + word + `"`
		}
		quoted[i] = word
	}
	return strings.Join(quoted, " ")
}

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
