# validate: the versions that kinit deploys, and networks that keep apart.

variable "allow_untested" {
  type        = bool
  default     = false
  description = "Deploy a version of Kubernetes that kinit was not tested with."
}

locals {
  moved_controllers = [
    for n in local.controllers :
    "${n.name} from ${cluster.moves[n.name].from} to ${cluster.moves[n.name].to}"
    if contains(keys(cluster.moves), n.name)
  ]

  kubernetes_minor = try(tonumber(regex(local.release_pattern, local.kubernetes_version)[0]), -1)
  tested_versions = length(local.release_tested) == 0 ? "none of its versions" : join(", ", [
    for minor in local.release_tested :
    "v1.${minor}"
  ])

  # The networks of a cluster by the variables that say them, and two that have addresses in
  # common: the shorter prefix gives both the same network.
  networks = { network_cidr = cluster.network.cidr, pod_cidr = var.pod_cidr, service_cidr = var.service_cidr }
  no_networks = [
    for name, cidr in local.networks :
    "${name} is \"${cidr}\"" if !can(regex("^[0-9.]+/[0-9]+$", cidr)) || !can(cidrhost(cidr, 0))
  ]
  overlaps = length(local.no_networks) > 0 ? [] : [
    for pair in [["network_cidr", "pod_cidr"], ["network_cidr", "service_cidr"], ["pod_cidr", "service_cidr"]] :
    join(" and ", [for name in pair : "${name} ${local.networks[name]}"])
    if length(distinct([
      for name in pair :
      cidrhost(join("/", [
        split("/", local.networks[name])[0],
        min([for each in pair : tonumber(split("/", local.networks[each])[1])]...),
      ]), 0)
    ])) == 1
  ]
}

block "validate_cluster" {
  stage = "validate"
  when  = local.build

  task "assert" "version" {
    early = true

    condition {
      holds = local.kubernetes_minor >= 0
      message = fold(<<-EOT
        "${local.kubernetes_version}" is no version of Kubernetes, such as ${local.release_version}. kinit is tested
        with ${local.tested_versions}.
        EOT
      )
    }

    condition {
      holds = (
        length(local.release_tested) == 0 ||
        local.kubernetes_minor < local.oldest_minor ||
        var.allow_untested ||
        contains(local.release_tested, local.kubernetes_minor)
      )
      message = fold(<<-EOT
        Kubernetes ${local.kubernetes_version} was not tested with kinit, which is tested with
        ${local.tested_versions}. Allow it by --var allow_untested=true.
        EOT
      )
    }
  }

  # A distribution that was never run is valid, and can be planned and drawn. Runs ask.
  task "assert" "untested" {
    when = length(local.release_tested) == 0

    condition {
      holds = var.allow_untested
      message = fold(<<-EOT
        kinit was never run with Kubernetes ${local.kubernetes_version}, nor with another version of this
        distribution: its playbook is planned and validated by tests alone. Allow it by --var allow_untested=true.
        EOT
      )
    }
  }

  # A node that moves is recreated and joins again. A controller's member of etcd would be lost with
  # it, and its name stays taken.
  task "assert" "moves" {
    when  = !run.recreate
    early = true

    condition {
      holds = length(local.moved_controllers) == 0
      message = fold(<<-EOT
        A run does not move controllers: ${join(", ", local.moved_controllers)}. Keep each where it is, as by
        --set node.controller-01.hypervisor=HOST, or move one by kinit replace with this setting; --recreate recreates
        the whole cluster.
        EOT
      )
    }
  }

  task "assert" "networks" {
    early = true

    condition {
      holds = contains(local.release_networks, local.pod_network)
      message = fold(<<-EOT
        This distribution has no pod_network = "${local.pod_network}". It has ${join(", ", local.release_networks)}.
        EOT
      )
    }

    condition {
      holds   = length(local.no_networks) == 0
      message = "Each network of a cluster is one of IPv4, such as 10.244.0.0/16: ${join(", ", local.no_networks)}."
    }

    condition {
      holds = length(local.overlaps) == 0
      message = fold(<<-EOT
        Networks of the cluster have addresses in common: ${join("; ", local.overlaps)}. Choose others, as by --var
        pod_cidr=10.200.0.0/16.
        EOT
      )
    }
  }
}
