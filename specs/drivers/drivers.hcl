# The drivers: how a cluster gets its nodes. Each is a folder beside this file. Adding one
# is its folder, its import, and its part in what follows.
#
# Offers:
#   local.driver_chassis     machines that are chassis of the overlay
#   local.driver_containers  nodes that are containers, with their hypervisors
#   local.driver_devices     their devices, with their hypervisors
#   local.driver_pins        names of the pins that the chosen drivers fetch
#   local.emulated           whether guests have emulated processors
#   task.command.leave       deregisters hypervisors as chassis when no cluster needs them
#
# Needs:
#   local.build              whether the run goes on after clean-up
#   local.hypervisors        names of all hypervisors
#   local.linux_nodes        nodes that run Linux
#   local.node_packages      packages that nodes need
#   local.remove_all         whether clean-up removes the whole cluster
#   var.virt_type            whether guests run under KVM or are emulated
#   task.ovn_sweep.owned     removes logical networks at clean-up
#   task.ovs_sweep.owned     removes devices at clean-up
#   task.podman_sweep.owned  removes containers at clean-up
#   task.sweep.owned         removes files and folders at clean-up

import {
  source = "drivers/libvirt"
}

import {
  source = "drivers/podman"
}

import {
  source = "drivers/host"
}

locals {
  # Containers and ports of Open vSwitch that drivers have declared, and on which hypervisor:
  # clean-up keeps them there.
  driver_containers = { for name, node in local.podman_nodes : name => node.hypervisor }
  driver_devices    = { for name, node in local.podman_nodes : local.podman_devices[name] => node.hypervisor }

  # Nodes that are chassis of the overlay themselves, as hypervisors are.
  driver_chassis = local.overlay_machines

  # What is fetched to make nodes, by its names in the pins.
  driver_pins = concat(local.libvirt_pins, local.podman_pins)

  # Nodes have processors that are emulated in software.
  emulated = length(local.libvirt_nodes) > 0 && var.virt_type == "qemu"
}

# The systems that drivers can make nodes with: each has the pin of its image for guests and, if it
# has one, for containers, and the kind of its packages. Distributions name those of Debian.
locals {
  systems      = jsondecode(file("systems.json"))
  first_system = "debian-12" # which "linux" is
  system       = { for name, node in local.linux_nodes : name => node.os == "linux" ? local.first_system : node.os }
  made_nodes = [
    for name, node in local.linux_nodes :
    name if node.hypervisor != "" && contains(keys(local.systems), local.system[name])
  ]
  unknown_systems = distinct([
    for name, node in local.linux_nodes :
    "\"${node.os}\" of pool ${node.pool}"
    if !contains(keys(local.systems), local.system[name]) && node.hypervisor != ""
  ])

  # Systems whose packages have what a node that is a container needs, and what Kubernetes needs.
  container_systems  = [for name, system in local.systems : name if system.container != null]
  containerd_systems = [for name, system in local.systems : name if system.packages == "deb"]
  no_container_pools = distinct([
    for name in local.made_nodes :
    "\"${local.system[name]}\" of pool ${cluster.nodes[name].pool}"
    if local.systems[local.system[name]].container == null
  ])
  no_containerd_pools = distinct([
    for name in local.made_nodes :
    "\"${local.system[name]}\" of pool ${cluster.nodes[name].pool}"
    if local.systems[local.system[name]].packages != "deb"
  ])
}

task "assert" "systems" {
  stage = "validate"
  when  = local.build
  early = true

  condition {
    holds = length(local.unknown_systems) == 0
    message = fold(<<-EOT
      No nodes can be made with the os ${join(", ", local.unknown_systems)}. Give one of
      ${join(", ", keys(local.systems))}; linux is ${local.first_system}.
      EOT
    )
  }

  condition {
    holds = (
      length([
        for name in local.made_nodes :
        name if local.systems[local.system[name]].container == null && cluster.nodes[name].driver == "podman"
      ]) == 0 ||
      var.node_image != null
    )
    message = fold(<<-EOT
      Nodes that are containers cannot have the os ${join(", ", local.no_container_pools)}: kinit builds their image
      with apt. Use the driver libvirt, or an os of ${join(", ", local.container_systems)}.
      EOT
    )
  }

  condition {
    holds = (
      length(local.node_packages) == 0 ||
      length([for name in local.made_nodes : name if local.systems[local.system[name]].packages != "deb"]) == 0
    )
    message = fold(<<-EOT
      Kubernetes needs packages that the os ${join(", ", local.no_containerd_pools)} does not have in its repositories:
      containerd is in none of CentOS' own. Use an os of ${join(", ", local.containerd_systems)}; clusters of the
      distribution bare can have it.
      EOT
    )
  }
}

# A chassis that no cluster needs any more is deregistered, so that no host keeps a
# tunnel to it. It must still know where the southbound database is.
task "command" "leave" {
  stage      = "cleanup"
  when       = local.remove_all
  hosts      = local.hypervisors
  argv       = ["ovn-appctl", "-t", "ovn-controller", "exit"]
  only_if    = ["sh", "-c", file("../common/files/last-user.sh"), "last-user", cluster.name]
  depends_on = [task.libvirt_sweep.owned, task.podman_sweep.owned]
}

# What is still there of the cluster and should not be: of its nodes, by each driver, and
# of all else.
output "leftovers" {
  value = !local.remove_all ? null : sum(concat(
    [for h in local.hypervisors : task.libvirt_sweep.owned[h].count],
    [for h in local.hypervisors : task.podman_sweep.owned[h].count],
    [for m in local.machines : try(coalesce(task.sweep.machine[m].count, 0), 0)],
    [for m in local.windows_machines : try(tonumber(trimspace(task.win_powershell.leftovers[m].stdout)), 0)],
    [task.ovn_sweep.owned.count],
    [for h in local.hypervisors : task.ovs_sweep.owned[h].count],
    [for m in local.machines : try(coalesce(task.ovs_sweep.machine[m].count, 0), 0)],
    [for h in local.hypervisors : try(coalesce(task.sweep.owned[h].count, 0), 0)],
  ))
}
