package wait

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
)

// watchPause is the time between two looks at the watchdog's file.
const watchPause = 2 * time.Second

// mostRead limits what is read of the file at once, in bytes.
const mostRead = 1 << 20

// Watchdog restarts what has stopped working while it is waited for.
type Watchdog struct {
	// File is the absolute path of a file that grows while it works, such as the log of a
	// guest's console.
	File string `hcl:"file" path:"clean"`
	// Silence is how long the file can stay as it is, such as "2m", on a host of ordinary
	// speed. An empty or missing file is no silence: maybe nothing is ever written.
	Silence module.Duration `hcl:"silence,optional" default:"2m" like:"2m"`
	// Stuck is a regular expression of what it writes when it hangs, such as the complaints of a
	// kernel whose timers stand still. From then on what it writes does not count: it has the time
	// of silence. Empty (default) looks for nothing.
	Stuck string `hcl:"stuck,optional" like:"timer wakeup didn't happen"`
	// Argv is the command that restarts it. It runs once, after the first silence.
	Argv []string `hcl:"argv"`
}

func (d *Watchdog) validate() error {
	if d == nil {
		return nil
	}
	if len(d.Argv) == 0 {
		return errors.New("watchdog has an empty command, want a program and its arguments")
	}
	if _, err := regexp.Compile(d.Stuck); err != nil {
		return fmt.Errorf("watchdog: stuck is no regular expression: %w", err)
	}
	return nil
}

// watch begins to watch. The function that it returns ends that, and returns what the
// watchdog has done, for an error; it is empty if it has done nothing.
func (d *Watchdog) watch(ctx context.Context, h module.Host) (end func() string) {
	if d == nil {
		return func() string { return "" }
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan string, 1)
	go func() { done <- d.run(ctx, h) }()
	return func() string {
		cancel()
		return <-done
	}
}

// run waits for a silence, or for a text that says that it hangs, and restarts.
func (d *Watchdog) run(ctx context.Context, h module.Host) string {
	size := d.size(ctx, h)
	for {
		quiet, limit := module.Within(ctx, h, d.Silence.Time())
		now := d.grown(quiet, h, size)
		limit.End()
		switch {
		case ctx.Err() != nil:
			return ""
		case now == size && size > 0:
			return d.restart(ctx, h, "was silent for "+limit.String())
		}
		if text := d.hangs(ctx, h, size); text != "" {
			return d.restartAfter(ctx, h, text)
		}
		size = now
	}
}

// restartAfter restarts what hangs, unless it works after all or ctx ends before.
func (d *Watchdog) restartAfter(ctx context.Context, h module.Host, text string) string {
	quiet, limit := module.Within(ctx, h, d.Silence.Time())
	<-quiet.Done()
	limit.End()
	if ctx.Err() != nil {
		return ""
	}
	return d.restart(ctx, h, fmt.Sprintf("has %q, and nothing better for %s", text, limit))
}

// hangs returns the text after the first bytes of the file that matches Stuck, "" without a match.
// A file that cannot be read has none.
func (d *Watchdog) hangs(ctx context.Context, h module.Host, since int64) string {
	if d.Stuck == "" {
		return ""
	}
	file, err := h.Files().Open(ctx, d.File)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	if _, err := io.CopyN(io.Discard, file, since); err != nil {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(file, mostRead))
	if err != nil {
		return ""
	}
	return string(regexp.MustCompile(d.Stuck).Find(text))
}

// grown returns the size of the file as soon as it is another one, or when ctx ends.
func (d *Watchdog) grown(ctx context.Context, h module.Host, before int64) int64 {
	for {
		if now := d.size(ctx, h); now != before && ctx.Err() == nil {
			return now
		}
		select {
		case <-ctx.Done():
			return before
		case <-time.After(watchPause):
		}
	}
}

// size returns the size of the file in bytes, 0 if it cannot be seen.
func (d *Watchdog) size(ctx context.Context, h module.Host) int64 {
	info, err := h.Files().Stat(ctx, d.File)
	if err != nil {
		return 0
	}
	return info.Size
}

func (d *Watchdog) restart(ctx context.Context, h module.Host, why string) string {
	said := fmt.Sprintf("%s %s, ran %s", d.File, why, cmdtext.Show(h, d.Argv))
	if _, err := h.Run(ctx, module.Command{Argv: d.Argv}); err != nil {
		said += ": " + err.Error()
	}
	said = h.Redact(said)
	h.Report(event.Progress{Text: cmdtext.Shorten("watchdog: " + said)})
	return said
}
