# The host gets its name, and a restart where that is new.
stage "node" {}

task "win_hostname" "name" {
  stage = "node"
  hosts = run.hosts
  name  = "compute-0"
}

task "win_reboot" "name" {
  stage    = "node"
  hosts    = run.hosts
  required = task.win_hostname.name[each.key].reboot_required
}
