package inventory

// given holds the settings that a host or group block sets, and their values.
type given struct {
	Settings
	has map[string]bool
}

// apply overrides settings with the given ones.
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

// merge overrides settings of the same group from an earlier file.
func (g *given) merge(later given) {
	later.apply(&g.Settings)
	if g.has == nil {
		g.has = map[string]bool{}
	}
	for name, has := range later.has {
		g.has[name] = g.has[name] || has
	}
}
