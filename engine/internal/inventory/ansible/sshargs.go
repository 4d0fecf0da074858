package ansible

import "strings"

// tuning are options of ssh that change nothing about which machine is reached and
// whether it is trusted. In lower case, as option names have none.
const tuning = " controlmaster controlpersist controlpath serveraliveinterval serveralivecountmax tcpkeepalive compression loglevel preferredauthentications pubkeyauthentication passwordauthentication kbdinteractiveauthentication batchmode connecttimeout connectionattempts "

var unquoted = strings.NewReplacer(`"`, " ", `'`, " ")

// SSHArguments finds the jump in arguments of ssh, and what is not understood.
func SSHArguments(text string) (jump string, unknown []string) {
	args := strings.Fields(unquoted.Replace(text))
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
		case flag == "-o" && option == "": // nothing follows
		case flag == "-o":
			unknown = append(unknown, option)
		case strings.HasPrefix(flag, "-"): // what follows without a dash belongs to it
			unknown = append(unknown, flag)
		}
	}
	return jump, unknown
}
