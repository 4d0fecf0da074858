# leave: pods of nodes that leave move to others, as disruption budgets allow.

variable "drain_timeout" {
  type        = string
  default     = "10m"
  description = "How long the pods of a node that leaves the cluster, or is upgraded, can take to move to others."
}

task "assert" "controllers" {
  stage = "validate"
  when  = local.build
  early = true

  condition {
    holds = length(local.controllers) > 0
    message = local.leaves ? fold(<<-EOT
      The cluster would have no controller: ${join(", ", keys(cluster.leaving))} would leave, and all that Kubernetes
      knows with the last controller. Add a controller first. If the last one is lost, 'kinit restore' brings the
      cluster back from a backup, and --recreate makes it again without its data.
      EOT
    ) : "The cluster would have no controller. Give it at least one; --recreate recreates the whole cluster."
  }
}

locals {
  # Pods of a node that leaves are reached until it has left. Its subnet follows from its address.
  leaving_routes = [for node in values(local.leaving) :
    try(
      cidrsubnet(
        var.pod_cidr,
        local.subnet_bits,
        sum([for i, byte in split(".", node.ip) : tonumber(byte) * pow(256, 3 - i)]) % pow(2, local.subnet_bits),
      ),
      var.pod_cidr,
    )
    if local.ovn_routes
  ]

  # The kubectl of the place to work in knows the cluster before anything changes.
  place_kubectl = var.kubectl != "" || local.kubectl_fetched
}

# An error names what keeps a node, before anything changes. Nothing keeps a node that leaves all the
# same, and the API may not answer before the run has started the controllers.
task "kubectl_drain" "look" {
  stage      = "validate"
  when       = local.build && local.place_kubectl
  for_each   = { for name, l in local.leaving : name => l if !l.destroy }
  host       = local.services.hypervisor
  node       = each.key
  kubectl    = "${local.place}/kubectl"
  kubeconfig = "${local.place}/kubeconfig"
  look_only  = true
  advice = fold(<<-EOT
    Nothing was changed. If the API does not answer, 'kinit run' starts stopped controllers. With
    --yes-destroy ${each.key} the node leaves all the same, and what it alone has is lost.
    EOT
  )
}

task "kubectl_drain" "leaving" {
  stage      = "drain"
  when       = local.build
  for_each   = local.leaving
  host       = local.first_node
  node       = each.key
  kubeconfig = local.admin_conf
  within     = var.drain_timeout
  timeout    = "24h"
  destroy    = each.value.destroy
  advice = fold(<<-EOT
    The variable drain_timeout gives pods longer. With --yes-destroy ${each.key} data may be lost; disruption budgets
    are kept even then.
    EOT
  )
}
