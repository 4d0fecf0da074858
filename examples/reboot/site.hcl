# Hosts that need a restart get one, one after the other. The next one goes only when
# the one before is healthy again; when one is not, the others are left alone.

variable "marker" {
  type        = string
  default     = "/run/reboot-required"
  description = "The file that says that a host needs a restart; Debian's packages write this one."
}

variable "ready" {
  type        = list(string)
  default     = ["systemctl", "is-system-running", "--wait"]
  description = "The command that ends with 0 when a restarted host has started everything."
}

variable "health" {
  type        = list(string)
  default     = ["systemctl", "is-active", "ssh.service"]
  description = "The command that ends with 0 when a host does its work."
}

# One host at a time, and not one failure: the default of max_fail is 0.
stage "restart" {
  serial = 1
}

stage "report" {
  after = ["restart"]
}

# A host that is ill already is a reason to look, not to restart the rest.
task "command" "before" {
  stage     = "restart"
  hosts     = run.hosts
  argv      = var.health
  read_only = true
}

task "reboot" "host" {
  stage      = "restart"
  hosts      = run.hosts
  marker     = var.marker
  ready      = var.ready
  within     = "10m"
  depends_on = [task.command.before]
}

task "wait" "healthy" {
  stage      = "restart"
  hosts      = run.hosts
  argv       = var.health
  within     = "2m"
  evidence   = [["systemctl", "--failed", "--no-legend"], ["journalctl", "--boot", "--lines=20", "--no-pager"]]
  depends_on = [task.reboot.host]
}

task "command" "kernel" {
  stage     = "report"
  hosts     = run.hosts
  argv      = ["uname", "-r"]
  read_only = true
}

output "kernels" {
  value = { for name, kernel in task.command.kernel : name => trimspace(kernel.stdout) }
}

output "seconds" {
  value = { for name, reboot in task.reboot.host : name => reboot.elapsed }
}
