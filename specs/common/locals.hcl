# Names and lists that several stages use.

import {
  source = "drivers"
}

locals {
  hypervisors      = [for h in cluster.hypervisors : h.name]
  first_hypervisor = cluster.hypervisors[0].name
  controllers      = cluster.pools.controller
  computes         = [for n in values(cluster.nodes) : n if n.pool != "controller"]

  # The services pod, or the first of several; all of them by their hypervisors.
  services        = cluster.pods[0]
  services_on     = { for pod in concat([local.services], local.services.replicas) : pod.hypervisor => pod }
  services_hosts  = [for pod in concat([local.services], local.services.replicas) : pod.hypervisor]
  services_others = [for pod in local.services.replicas : pod.hypervisor]
  services_left   = local.services.leaving # hypervisors that had one

  # What templates say of the cluster: its nodes are too many to be handed to each.
  cluster_names  = { name = cluster.name, domain = cluster.domain }
  node_addresses = { for n in values(cluster.nodes) : n.name => n.ip }

  # Nodes by what they run.
  windows_nodes = { for name, node in cluster.nodes : name => node if startswith(node.os, "windows") }
  linux_nodes   = { for name, node in cluster.nodes : name => node if !startswith(node.os, "windows") }

  # Machines that exist already have a network of their own, unless their pool asks for the
  # overlay. Without any other node the cluster needs no overlay, and its services are where their hypervisor is.
  overlay_nodes       = { for name, node in cluster.nodes : name => node if node.overlay }
  overlay             = length(local.overlay_nodes) > 0 || length(cluster.nodes) == 0
  overlay_hypervisors = local.overlay ? local.hypervisors : []

  # The chassis of the overlay, and all whose own network may carry it.
  overlay_chassis = concat(local.overlay_hypervisors, local.driver_chassis)
  overlay_hosts   = concat(local.hypervisors, local.driver_chassis)

  # Where nodes find the cluster's services, and where their hypervisor finds its own.
  services_address = (
    local.overlay
    ? local.services.address
    : lookup(var.encapsulation_address, local.services.hypervisor, local.services_host.address)
  )
  services_host  = [for h in cluster.hypervisors : h if h.name == local.services.hypervisor][0]
  services_local = local.overlay ? local.services_on[host.name].ip : "127.0.0.1"
  # Further ones answer when the first does not; resolvers ask three at most.
  name_servers = slice(
    distinct(concat([local.services_address], [for pod in values(local.services_on) : pod.ip])),
    0,
    min(3, length(local.services_others) == 0 ? 1 : 1 + length(local.services_on)),
  )
  registry_port = local.overlay ? 5000 : var.registry_port
  publish_files = !local.overlay && length(local.windows_nodes) > 0
  files_port    = local.publish_files ? var.files_port : 8080
  api_port = (
    local.overlay
    ? 6443
    : tonumber([for outside, inside in var.published_ports : outside if inside == 6443][0])
  )

  # Nothing is built when clean-up is where the run ends.
  build = run.stop_after != "cleanup"

  # Everything of this cluster on a hypervisor lives below one folder.
  cluster_folder = "/var/lib/kinit/clusters/${cluster.name}"

  # The userspace datapath does not compute the checksums that a sender leaves to
  # the network card, so there the ends must.
  offload = var.datapath == "system"

  # Every cluster has its own address on the switch that leads outside, so that
  # clusters share the switch and nothing else.
  external_cidr    = "172.16.0.0/24"
  external_gateway = "172.16.0.254"
  external_address = cidrhost(local.external_cidr, 1 + parseint(substr(sha256(cluster.name), 0, 6), 16) % 250)
}

# The stages of every cluster and their order.
stage "prepare" {}
stage "cleanup" { after = ["prepare"] }
stage "validate" { after = ["cleanup"] }
stage "places" { after = ["validate"] }
stage "network" { after = ["places"] }
stage "services" { after = ["network"] }
stage "images" { after = ["validate"] }
stage "nodes" { after = ["network", "images"] }
