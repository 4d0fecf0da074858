# leave: nodes are taken out of Kubernetes; servers that see a node go take its member out of etcd.

task "command" "left" {
  stage      = "drain"
  when       = local.build
  for_each   = local.leaving
  host       = local.first_node
  argv       = concat(local.kubectl, ["delete", "node", each.key])
  only_if    = concat(local.kubectl, ["get", "node", each.key])
  depends_on = [task.kubectl_drain.leaving]
}
