# Containers, and the restart that they need.
stage "node" {}

task "win_feature" "containers" {
  stage = "node"
  hosts = run.hosts
  names = ["Containers"]
}

task "win_reboot" "containers" {
  stage    = "node"
  hosts    = run.hosts
  required = task.win_feature.containers[each.key].reboot_required
}
