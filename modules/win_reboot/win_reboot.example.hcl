# Restart where Windows asks for it, and go on when the runtime is up again.
stage "node" {}

task "win_reboot" "node" {
  stage  = "node"
  hosts  = run.hosts
  ready  = "if ((Get-Service -Name containerd).Status -ne 'Running') { exit 1 }"
  within = "20m"
}
