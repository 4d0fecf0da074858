package kubectlapply

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/module"
)

// comparisons is how often a comparison is repeated while others change the objects.
const comparisons = 10

// diff returns the pending changes, or nothing. count is the number of objects.
func (t *Task) diff(ctx context.Context, h module.Host, count int) (string, error) {
	if !t.applied {
		// Listing is cheap. A comparison makes the server try each object, and fails
		// if the same content still has to create an object's namespace.
		live, err := t.live(ctx, h)
		if err != nil {
			return "", fmt.Errorf("list the objects: %w", err)
		}
		if len(live) < count {
			return fmt.Sprintf("%d of %d objects are missing", count-len(live), count), nil
		}
	}
	var change string
	var err error
	for range comparisons {
		if change, err = t.compare(ctx, h); err != nil || !changedMeanwhile(change) {
			break
		}
	}
	if err != nil || change == "" {
		return "", err
	}
	return "the cluster has other fields\n" + h.Redact(change), nil
}

// compare returns kubectl's differences between the cluster and the content, or nothing.
func (t *Task) compare(ctx context.Context, h module.Host) (string, error) {
	out, err := t.kubectl(ctx, h, append([]string{"diff"}, t.merging()...)...)
	switch {
	case err == nil:
		return "", nil
	case module.Exited(err, 1):
		return cleanDiff(out.Stdout), nil
	}
	return "", fmt.Errorf("compare with the cluster: %w", err)
}

// oldVersion matches a difference line with another version of an object.
var oldVersion = regexp.MustCompile(`(?m)^-  resourceVersion: "\d+"$`)

// changedMeanwhile reports whether an object changed while it was compared: kubectl reads it
// and then has the server try the content on it; without another change both have the same
// version. Controllers often change the status of new objects. If the client merges, kubectl
// handles this by itself.
func changedMeanwhile(change string) bool { return oldVersion.MatchString(change) }

// cleanDiff removes the lines that always differ: the commands and the
// names of kubectl's temporary files.
func cleanDiff(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "diff ") && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "+++ ") {
			b.WriteString(line)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
