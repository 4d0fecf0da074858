package diag

import (
	"fmt"
	"strings"
)

// Hint returns what to do about an unknown name, with a space before it: how kinit says what
// the name means in Ansible or Terraform, else the known names that are like it.
func Hint(given string, known []string) string {
	if advice := habits()[given]; advice != "" {
		return " " + advice
	}
	if strings.HasPrefix(given, "with_") {
		return " " + habits()["loop"]
	}
	return Near(given, known)
}

// habits are names that users of Ansible and Terraform have in their fingers, as arguments and
// blocks, and what to write instead.
func habits() map[string]string {
	const (
		loop   = "A loop is for_each, which takes a map, an object or a set, as in: for_each = toset([\"a\", \"b\"]). Its element is each.key and each.value."
		become = "Write become = \"USER\", or a block: become { user = \"USER\" }."
		retry  = "Write a block: retry { attempts = 5, delay = \"10s\" }, each on a line of its own."
		no     = "There are no plays: a task names its hosts itself, as in: hosts = groups.web."
		roles  = "A role is a folder of playbook files: import { source = \"roles/web\" }."
	)
	return map[string]string{
		"register":           "Nothing is registered: a task's values are read by its address, as in task.command.probe.stdout, with hosts task.command.probe[host.name].stdout. In the task itself they are result.",
		"loop":               loop,
		"loop_control":       loop,
		"count":              loop,
		"become_user":        become,
		"become_method":      "Write a block: become { method = \"su\" }.",
		"ignore_errors":      "Write failed_when = false: the task then counts as done.",
		"ignore_unreachable": "A stage allows for failed hosts by max_fail = 1.",
		"any_errors_fatal":   "A failure ends the run with its stage already, unless the stage has max_fail.",
		"delegate_to":        "Write host = \"NAME\", with for_each if it is done for each of several hosts.",
		"local_action":       "A task without host and hosts works on the machine that kinit runs on.",
		"retries":            retry,
		"async":              "The modules command, shell and script have async: work that goes on when the connection is lost.",
		"poll":               "The modules command, shell and script have poll, beside async.",
		"no_log":             "Write sensitive = true.",
		"check_mode":         "kinit plan changes nothing; a command that only reads has read_only = true.",
		"gather_facts":       "Facts are a task: task \"facts\" \"host\" { hosts = run.hosts }. Its values are task.facts.host[host.name].",
		"remote_user":        "The user of a login is the host's, in the inventory: user = \"NAME\".",
		"connection":         "How a host is reached is said in the inventory: transport = \"local\".",
		"vars":               "Values are in a block locals { … }, or variable \"NAME\" { default = … } if a run may set them.",
		"vars_files":         "Files with values of variables are named by --var-file.",
		"defaults":           "A default is that of a variable: variable \"NAME\" { default = … }.",
		"play":               no,
		"handlers":           "Each handler is a block of its own: handler \"MODULE\" \"NAME\" { … }.",
		"pre_tasks":          "What is done first is a stage that others name in after: stage \"first\" {}.",
		"post_tasks":         "What is done last is a stage with after = [\"first\"].",
		"rescue":             "Tasks of a failed block have on_failure = true.",
		"roles":              roles,
		"role":               roles,
		"include_tasks":      roles,
		"import_tasks":       roles,
		"include_role":       roles,
		"import_role":        roles,
		"include_vars":       "Write a local, as in: locals { settings = yamldecode(file(\"settings.yml\")) }.",
		"resource":           "Write task \"MODULE\" \"NAME\" { … }; kinit modules lists the modules.",
		"data":               "What is read is a task, too: its values are task.MODULE.NAME.",
		"module":             "Write import \"NAME\" { source = \"FOLDER\" }, with inputs = { … }.",
		"provider":           "Hosts and how they are reached are in an inventory, a file of its own.",
		"provisioner":        "Write task \"command\" \"NAME\" { … } with depends_on.",
		"terraform":          "There is nothing to declare about kinit itself; a spec \"NAME\" { … } block is optional.",
		"lifecycle":          "kinit keeps no state: it compares with the host in each run.",
	}
}

// HintModule returns what to do about an unknown module, with a space before it: the module of
// kinit that does what one of Ansible's does, how to call that one as it is, or the known
// modules that are like it.
func HintModule(given string, known []string) string {
	if strings.Contains(given, ".") {
		return asItIs(given)
	}
	if advice := ansibles()[given]; advice != "" {
		return " " + advice
	}
	if advice := habits()[given]; advice != "" {
		return " " + advice
	}
	return Near(given, known)
}

// asItIs says how a module of Ansible is called.
func asItIs(name string) string {
	return fmt.Sprintf(" One of Ansible's modules is called by kinit's module ansible: task \"ansible\" \"x\" { module = %q, args = { … } }, each on a line of its own.", name)
}

// ansibles are Ansible's modules whose counterparts have other names.
func ansibles() map[string]string {
	all := map[string]string{}
	for theirs, ours := range map[string]string{
		"apt": "package", "yum": "package", "dnf": "package", "zypper": "package", "systemd": "service", "systemd_service": "service",
		"lineinfile": "line_in_file", "blockinfile": "block_in_file", "get_url": "download", "uri": "http_request", "setup": "facts",
		"gather_facts": "facts", "known_hosts": "known_host", "async_status": "job_wait", "modprobe": "kernel_module", "wait_for": "wait", "wait_for_connection": "connection",
		"yum_repository": "dnf_repository", "deb822_repository": "apt_repository", "firewalld": "firewall", "ufw": "firewall", "raw": "command", "slurp": "read_file",
		"seboolean": "selinux_boolean", "seport": "selinux_port", "apk": "package", "pacman": "package",
		"docker_container": "podman_container", "docker_image": "podman_image", "openssl_certificate": "x509_certificate", "pause": "wait",
		"win_shell": "win_powershell", "win_get_url": "win_download", "win_environment": "win_env",
	} {
		all[theirs] = fmt.Sprintf("What Ansible calls %s is kinit's module %s.", theirs, ours)
	}
	all["set_fact"] = "A value is a local: locals { port = 80 }."
	all["meta"] = "Handlers are flushed before a task with flush_handlers = true; task \"connection\" \"again\" { reset = true } makes a new connection."
	for name, collection := range map[string]string{
		"pip": "ansible.builtin", "find": "ansible.builtin",
		"iptables": "ansible.builtin", "debconf": "ansible.builtin", "dpkg_selections": "ansible.builtin",
		"npm": "community.general", "parted": "community.general",
		"lvol": "community.general", "filesystem": "community.general", "timezone": "community.general", "locale_gen": "community.general",
		"sefcontext": "community.general", "acl": "ansible.posix",
		"mysql_db": "community.mysql", "mysql_user": "community.mysql", "postgresql_db": "community.postgresql", "postgresql_user": "community.postgresql",
	} {
		all[name] = strings.TrimSpace(asItIs(collection + "." + name))
	}
	return all
}
