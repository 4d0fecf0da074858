package ssh

// Patience is how long output that was not read yet is waited for.
const Patience = patience

// Lost reports whether the Conn's connection is known to be lost.
func Lost(c *Conn) bool {
	l, err := c.linkNow()
	return err == nil && l != nil && l.lost()
}

// WithShell returns the config with another shell than /bin/sh.
func WithShell(c Config, shell string) Config {
	c.shell = shell
	return c
}
