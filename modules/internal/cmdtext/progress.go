package cmdtext

import (
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
)

// Progress is a module.Command's Line that reports each line that is not blank.
func Progress(h module.Host) func(line string) {
	return func(line string) {
		if line = strings.TrimSpace(line); line != "" {
			h.Report(event.Progress{Text: Shorten(h.Redact(line))})
		}
	}
}
