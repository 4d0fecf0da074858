# One node after the other is drained, restarted, and gets pods again.
stage "maintenance" {}

block "maintenance" {
  stage  = "maintenance"
  serial = 1

  task "kubectl_drain" "node" {
    for_each = run.hosts
    host     = run.hosts[0]
    node     = each.key
    returns  = true
    within   = "5m"
  }

  task "command" "maintenance" {
    hosts      = run.hosts
    argv       = ["/usr/local/sbin/maintenance"]
    depends_on = [task.kubectl_drain.node]
  }

  task "kubectl_uncordon" "node" {
    for_each   = run.hosts
    host       = run.hosts[0]
    node       = each.key
    depends_on = [task.command.maintenance]
  }
}
