task "reboot" "if_needed" {
  hosts = run.hosts
}

task "reboot" "new_kernel" {
  hosts   = run.hosts
  only_if = ["sh", "-c", "! test -e /lib/modules/$(uname -r)"]
  ready   = ["systemctl", "is-system-running", "--wait"]
  within  = "15m"
}
