package winrm

import (
	"context"
	"time"
)

// Operations returns all operations of a client, by name.
func Operations(c Config) (map[string]func(ctx context.Context) error, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	client, err := newClient(c)
	if err != nil {
		return nil, err
	}
	return map[string]func(ctx context.Context) error{
		"create": func(ctx context.Context) error {
			_, err := client.create(ctx)
			return err
		},
		"start": func(ctx context.Context) error {
			_, err := client.start(ctx, "shell", "line")
			return err
		},
		"receive": func(ctx context.Context) error {
			_, err := client.receive(ctx, "shell", "command")
			return err
		},
		"send":         func(ctx context.Context) error { return client.send(ctx, "shell", "command", nil, true) },
		"terminate":    func(ctx context.Context) error { return client.terminate(ctx, "shell", "command") },
		"delete shell": func(ctx context.Context) error { return client.deleteShell(ctx, "shell") },
	}, nil
}

// WithTimes returns the config with other times than minutes, for tests.
func WithTimes(c Config, poll, answer, outage time.Duration) Config {
	c.poll, c.answer, c.Outage = poll, answer, outage
	return c
}

// The limits that tests count against.
const (
	MostCommands = mostCommands
	MostShells   = mostShells
	LargestSend  = largestSend

	LargestAnswer = largestAnswer
)
