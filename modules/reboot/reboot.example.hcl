# Restarts of those hosts that need one, one after the other.
stage "restart" {
  serial = 1
}

task "reboot" "if_needed" {
  stage   = "restart"
  hosts   = run.hosts
  marker  = "/run/reboot-required"
  only_if = ["sh", "-c", "! test -e /lib/modules/$(uname -r)"]
  ready   = ["systemctl", "is-system-running", "--wait"]
  within  = "15m"
}
