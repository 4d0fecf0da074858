# validate: every problem at once, before anything is built.

locals {
  # What the nodes on each hypervisor take together, in bytes.
  node_memory   = { for n in values(cluster.nodes) : n.hypervisor => n.memory_bytes... if n.hypervisor != "" }
  wanted_memory = { for h in local.hypervisors : h => sum(concat([0], try(local.node_memory[h], []))) }
  # IPv6 needs 1280 bytes, and the smallest sensible pod network sits inside two
  # tunnels.
  least_mtu = 1280 + local.geneve_overhead + 50

  # What is refused, by hypervisor, for messages.
  too_little_memory = [
    for h in local.hypervisors :
    join(" ", [
      "the nodes on ${h} take ${ceil(local.wanted_memory[h] / 1048576)} MiB",
      "and it has ${floor(task.facts.hypervisor[h].memory_bytes / 1048576)} MiB",
    ])
    if task.facts.hypervisor[h].memory_bytes < local.wanted_memory[h]
  ]
  too_small_mtu = [
    for h in local.hypervisors :
    "${h} (${task.facts.underlay[h].route_interface}, ${task.facts.underlay[h].route_mtu})"
    if task.facts.underlay[h].route_mtu < local.least_mtu
  ]
}

block "validate" {
  stage = "validate"
  when  = local.build

  task "assert" "services" {
    when  = !local.overlay
    early = true

    condition {
      holds = length(local.services_others) == 0
      message = fold(<<-EOT
        No node is on an overlay, so the services have no address that could move from one hypervisor to another, and
        are on one. Give --set services.count=1.
        EOT
      )
    }

    condition {
      holds = can(regex("^[0-9.]+$", local.services_address))
      message = fold(<<-EOT
        No node is on an overlay, so nodes find the cluster's services at their host ${local.services.hypervisor},
        whose address is "${local.services_address}". Say its IPv4 address, as in --var
        'encapsulation_address={"${local.services.hypervisor}"="192.0.2.1"}'.
        EOT
      )
    }
  }

  task "assert" "hypervisors" {
    condition {
      holds = alltrue([for h in local.hypervisors : task.facts.hypervisor[h].memory_bytes >= local.wanted_memory[h]])
      message = fold(<<-EOT
        Too little memory: ${join(", ", local.too_little_memory)}. Give the pools less memory or use more hypervisors.
        EOT
      )
    }

    condition {
      holds = alltrue([for h in local.overlay_hypervisors : task.facts.underlay[h].route_mtu >= local.least_mtu])
      message = fold(<<-EOT
        The MTU of the interface that carries the encapsulation address is below ${local.least_mtu} on:
        ${join(", ", local.too_small_mtu)}.
        EOT
      )
    }
  }

  # The ports that the services publish are free, or the services' own already.
  task "command" "ports" {
    hosts = local.services_hosts
    argv = concat(
      ["sh", "-c", file("files/ports.sh"), "ports", "kinit-${cluster.name}-services"],
      keys(local.published_ports),
    )
    read_only = true
  }

  # The services stay on their hypervisors.
  task "command" "elsewhere" {
    hosts = [for h in local.hypervisors : h if !contains(local.services_hosts, h)]
    argv = [
      "sh", "-c", file("files/elsewhere.sh"), "elsewhere", "kinit-${cluster.name}-services", cluster.name,
      host.name, local.services.hypervisor,
    ]
    read_only = true
  }

  # The cluster's network is no other's on these hypervisors: neither another cluster's
  # nor the one they are reached by.
  task "command" "network" {
    hosts     = local.overlay_hypervisors
    argv      = ["sh", "-c", file("files/network.sh"), "network", cluster.network.cidr, local.management_device]
    read_only = true
  }
}
