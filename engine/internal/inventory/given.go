package inventory

// given is which settings a block of a host or a group has, and their values.
type given struct {
	Settings
	has map[string]bool
}

// apply overlays settings with those that are given.
func (g given) apply(s *Settings) {
	if len(g.has) == 0 {
		return
	}
	for name, set := range map[string]func(){
		"address":     func() { s.Address = g.Address },
		"port":        func() { s.Port = g.Port },
		"user":        func() { s.User = g.User },
		"transport":   func() { s.Transport = g.Transport },
		"via":         func() { s.Via = g.Via },
		"become":      func() { s.Become = g.Become },
		"keys":        func() { s.IdentityFiles = g.IdentityFiles },
		"known_hosts": func() { s.KnownHosts = g.KnownHosts },
		"host_keys":   func() { s.HostKeys = g.HostKeys },
		"password":    func() { s.Password = g.Password },
		"os":          func() { s.OS = g.OS },
		"auth":        func() { s.Auth = g.Auth },
		"certificate": func() { s.Certificate = g.Certificate },

		"connect_timeout": func() { s.ConnectTimeout = g.ConnectTimeout },
		"pace":            func() { s.Pace = g.Pace },
	} {
		if g.has[name] {
			set()
		}
	}
}

// merge overlays what a block of the same group in an earlier file gave.
func (g *given) merge(later given) {
	later.apply(&g.Settings)
	if g.has == nil {
		g.has = map[string]bool{}
	}
	for name, has := range later.has {
		g.has[name] = g.has[name] || has
	}
}
