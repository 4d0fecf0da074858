# settings: labels and taints of nodes, and settings of their kubelets, from the vars of their
# pool or of the node: vars = { labels = { tier = "gold" }, taints = ["gpu=yes:NoSchedule"] }.

locals {
  node_labels = {
    for name, node in cluster.nodes :
    name => try({ for key, value in node.vars.labels : key => tostring(value) }, {})
  }
  node_taints = {
    for name, node in cluster.nodes :
    name => try([for taint in node.vars.taints : can(regex("=", taint)) ? taint : replace(taint, ":", "=:")], [])
  }
  kubelets = {
    for name, node in cluster.nodes :
    name => try({ for key, value in node.vars.kubelet : key => value }, {})
  }

  # Without compute nodes, controllers take workloads.
  kept_taint = length(local.computes) > 0 ? "node-role.kubernetes.io/control-plane=:NoSchedule" : ""

  # In the words of node-settings.sh.
  node_settings = flatten([for name, node in cluster.nodes : [
    name, join(" ", [for key, value in local.node_labels[name] : "${key}=${value}"]),
    join(" ", local.node_taints[name]),
    node.pool == "controller" ? local.kept_taint : "",
  ]])

  # What Kubernetes allows in a name of a label and in its value.
  label_key   = "^([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$"
  label_value = "^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$"
  no_labels = distinct(flatten([for name, labels in local.node_labels : [
    for key, value in labels :
    "${key}=${value}"
    if !can(regex(local.label_key, key)) || !can(regex(local.label_value, value))
  ]]))
  no_taints = distinct(flatten([for taints in values(local.node_taints) : [
    for taint in taints : taint
    if !can(regex("^[^=]+=[^=]*:(NoSchedule|PreferNoSchedule|NoExecute)$", taint)) ||
    !can(regex(local.label_key, split("=", taint)[0])) || !can(regex(
      local.label_value,
      split(":", split("=", taint)[1])[0],
    ))
  ]]))
  no_settings = [for name, node in cluster.nodes : name if
    can(
      node.vars.labels
    ) && !can(merge({ a = "b" }, { for key in keys(node.vars.labels) : key => tostring(node.vars.labels[key]) })) ||
    can(node.vars.taints) && !can([for taint in node.vars.taints : replace(taint, "", "")]) ||
    can(node.vars.kubelet) && !can(keys(node.vars.kubelet))
  ]
}

task "assert" "settings" {
  stage = "validate"
  when  = local.build
  early = true

  condition {
    holds = length(local.no_settings) == 0
    message = fold(<<-EOT
      vars of a node are labels = { name = "value" }, taints = ["name=value:NoSchedule"] and kubelet = { setting =
      value }; those of ${join(", ", local.no_settings)} are not.
      EOT
    )
  }

  condition {
    holds   = length(local.no_labels) == 0
    message = "These are no labels that Kubernetes takes: ${join(", ", local.no_labels)}."
  }

  condition {
    holds = length(local.no_taints) == 0
    message = fold(<<-EOT
      These are no taints, such as gpu=yes:NoSchedule, PreferNoSchedule or NoExecute: ${join(", ", local.no_taints)}.
      EOT
    )
  }
}

task "command" "settings" {
  stage       = "verify"
  when        = local.build
  host        = local.first_node
  environment = { KUBECONFIG = local.admin_conf }
  argv        = concat(["sh", "-c", file("files/node-settings.sh"), "node-settings", "apply"], local.node_settings)
  unless      = concat(["sh", "-c", file("files/node-settings.sh"), "node-settings", "check"], local.node_settings)
  depends_on  = [task.wait.ready]
}
