package unarchive

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/tree"
)

// mostForeign is how many foreign files an error names.
const mostForeign = 3

// begin refuses to replace files that no archive has put into a cluster's folder, and notes which entries are new there:
// after an interruption they are no foreign ones.
func (t *Task) begin(ctx context.Context, h module.Host, s state, members []tree.Entry) error {
	note := path.Join(t.Dest, t.hidden(begunEnd))
	text, _, err := hostfile.Read(ctx, h, note)
	if err != nil {
		return err
	}
	var known []string
	_ = json.Unmarshal([]byte(text), &known) // half a note is of a run that has put nothing in place
	here, ours, others := byPath(s.here), byPath(s.manifest.Unpacked), shared(s.others)
	var foreign, begun []string
	for _, e := range members {
		now, there := here[e.Path]
		_, mine := ours[e.Path]
		switch {
		case !there:
			begun = append(begun, e.Path)
		case slices.Contains(known, e.Path):
			begun = append(begun, e.Path)
		case mine || len(others[e.Path]) > 0 || matches(t.Keep, e.Path) || e.Type == now.Type && sameContent(e, now):
		default:
			foreign = append(foreign, path.Join(t.Dest, e.Path))
		}
	}
	if len(foreign) > 0 && h.Owner() != "" {
		more := ""
		if n := len(foreign) - mostForeign; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		return fmt.Errorf("%s has %s%s, which no archive has put there: move it away, or let keep name it to leave it as it is",
			t.Dest, strings.Join(foreign[:min(len(foreign), mostForeign)], ", "), more)
	}
	if len(begun) == 0 {
		return nil
	}
	content, err := json.Marshal(begun)
	if err != nil {
		return err
	}
	return hostfile.Write(ctx, h, note, string(content)+"\n", module.Attr{Mode: 0o644})
}
