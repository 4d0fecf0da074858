package kubectlapply

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/module"
)

// comparisons is how often objects are compared that somebody else changes meanwhile.
const comparisons = 10

// diff returns what would change, or nothing. count is the number of objects.
func (t *Task) diff(ctx context.Context, h module.Host, count int) (string, error) {
	if !t.applied {
		// Listing is cheap. A comparison has the server try out each object, and fails
		// where an object's namespace is still to be made by the same content.
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
	var exit *module.ExitError
	switch {
	case err == nil:
		return "", nil
	case errors.As(err, &exit) && exit.Code == 1:
		return cleanDiff(out.Stdout), nil
	}
	return "", fmt.Errorf("compare with the cluster: %w", err)
}

// oldVersion is a line of differences that says that an object has another version now.
var oldVersion = regexp.MustCompile(`(?m)^-  resourceVersion: "\d+"$`)

// changedMeanwhile tells whether somebody changed an object while it was compared:
// kubectl reads it and then has the server try the content out on it, which gives an
// object of the same version otherwise. Controllers change the status of what is new
// many times. Where the client merges, kubectl sees to this by itself.
func changedMeanwhile(change string) bool { return oldVersion.MatchString(change) }

// cleanDiff leaves out the lines that differ each time: the commands and the
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
