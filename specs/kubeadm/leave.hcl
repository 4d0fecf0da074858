# leave: controllers that leave are taken out of etcd one after the other, then nodes out of
# Kubernetes.

# A first controller that has lost what it had would make another cluster beside the one that
# answers.
task "command" "alone" {
  stage = "cluster"
  host  = local.first_node
  argv = [
    "sh", "-c", file("files/alone.sh"), "alone", "/etc/kubernetes/admin.conf",
    "https://${local.services_address}:${local.api_port}/readyz",
  ]
  read_only = true
  advice    = "Recreate this controller: kinit replace SPEC ${local.first_node} --yes-destroy ${local.first_node}."
}

task "etcd_leave" "controllers" {
  stage   = "drain"
  when    = local.build && local.leaves
  host    = local.first_node
  members = { for name, node in local.leaving : name => node.ip }
  timeout = "30m"
  advice = fold(<<-EOT
    Nothing is taken out of etcd that would leave it without a quorum. Let the members that do not answer come back,
    and run again.
    EOT
  )
  depends_on = [task.kubectl_drain.leaving]
}

task "command" "left" {
  stage      = "drain"
  when       = local.build
  for_each   = local.leaving
  host       = local.first_node
  argv       = concat(local.kubectl, ["delete", "node", each.key])
  only_if    = concat(local.kubectl, ["get", "node", each.key])
  depends_on = [task.etcd_leave.controllers]
}
