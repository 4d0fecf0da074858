package inventory

import (
	"net/netip"
	"strings"

	"kinit/engine/internal/inventory/hostrange"
)

// arguments reads the arguments that Ansible would give to ssh. A jump is
// understood; what only tunes OpenSSH's client is passed over; the rest is told of.
func (c connection) arguments() {
	for _, variable := range []string{"ansible_ssh_args", "ansible_ssh_common_args", "ansible_ssh_extra_args"} {
		text, name := c.text(variable)
		jump, unknown := sshArguments(text)
		if jump != "" && jump != "none" {
			c.Via = c.loader.via(c.Host, jump)
		}
		if len(unknown) > 0 {
			c.warn(name, "SSH argument not used", "kinit does not run ssh; of its arguments it understands ProxyJump only, and not %s.", strings.Join(unknown, ", "))
		}
	}
}

// tuning are options of ssh that change nothing about which machine is reached and
// whether it is trusted. In lower case, as option names have none.
const tuning = " controlmaster controlpersist controlpath serveraliveinterval serveralivecountmax tcpkeepalive compression loglevel preferredauthentications pubkeyauthentication passwordauthentication kbdinteractiveauthentication batchmode connecttimeout connectionattempts "

// sshArguments finds the jump in arguments of ssh, and what is not understood.
func sshArguments(text string) (jump string, unknown []string) {
	args := strings.Fields(strings.NewReplacer(`"`, " ", `'`, " ").Replace(text))
	for i := 0; i < len(args); i++ {
		flag, value := args[i], ""
		if len(flag) > 2 && (strings.HasPrefix(flag, "-o") || strings.HasPrefix(flag, "-J")) {
			flag, value = flag[:2], flag[2:]
		} else if (flag == "-o" || flag == "-J") && i+1 < len(args) {
			i++
			value = args[i]
		}
		option, setting, found := strings.Cut(value, "=")
		if flag == "-o" && !found && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			setting = args[i]
		}
		switch {
		case flag == "-J":
			jump = value
		case flag == "-o" && strings.EqualFold(option, "ProxyJump"):
			jump = setting
		case flag == "-o" && strings.EqualFold(option, "ProxyCommand"):
			return jump, append(unknown, option) // a command follows, of any length
		case flag == "-o" && strings.Contains(tuning, " "+strings.ToLower(option)+" "):
		case flag == "-C" || flag == "-q" || flag == "-v":
		case flag == "-o":
			unknown = append(unknown, option)
		case strings.HasPrefix(flag, "-"): // what follows without a dash belongs to it
			unknown = append(unknown, flag)
		}
	}
	return jump, unknown
}

// via is the name of the machine that a host is reached through, by a list of jumps
// such as user@host:port,other. A host is not reached through itself.
func (l *loader) via(h *Host, list string) string {
	first, _, _ := strings.Cut(list, ",")
	if _, name, _ := splitJump(first); name == h.Name || name == h.Address {
		return ""
	}
	if list != "" {
		l.jumps = append(l.jumps, list)
	}
	return list
}

// addJumps makes hosts of jumps that are more than the name of a host: their
// settings are those of the host of that name, with another user, port or way.
func (l *loader) addJumps() {
	for _, list := range l.jumps {
		via := ""
		for hop := range strings.SplitSeq(list, ",") {
			name := strings.TrimPrefix(via+","+hop, ",")
			if l.inv.Host(name) == nil {
				l.inv.hosts[name] = l.jump(name, hop, via)
			}
			via = name
		}
	}
}

func (l *loader) jump(name, hop, via string) *Host {
	user, host, port := splitJump(hop)
	settings := Outside(host)
	if known := l.inv.Host(host); known != nil {
		settings = known.Settings
	}
	settings.Name = name
	if user != "" {
		settings.User = user
	}
	if port != 0 {
		settings.Port = port
	}
	if via != "" {
		settings.Via = via
	}
	return &Host{Settings: settings}
}

// splitJump parts [user@]host[:port].
func splitJump(hop string) (user, host string, port int) {
	if i := strings.LastIndexByte(hop, '@'); i >= 0 {
		user, hop = hop[:i], hop[i+1:]
	}
	if _, err := netip.ParseAddr(hop); err == nil {
		return user, hop, 0
	}
	host, port, err := hostrange.SplitPort(hop)
	if err != nil {
		return user, hop, 0
	}
	return user, host, port
}
