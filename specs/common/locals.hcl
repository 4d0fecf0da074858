# Names and lists that several stages use.

import {
  source = "drivers"
}

locals {
  hypervisors = [for h in cluster.hypervisors : h.name]
  first       = cluster.hypervisors[0].name
  controllers = cluster.pools.controller
  computes    = [for n in values(cluster.nodes) : n if n.pool != "controller"]
  services    = cluster.pods[0]

  # What templates say of the cluster: its nodes are too many to be handed to each.
  title          = { name = cluster.name, domain = cluster.domain }
  node_addresses = { for n in values(cluster.nodes) : n.name => n.ip }

  # Nodes by what they run.
  windows_nodes = { for name, node in cluster.nodes : name => node if startswith(node.os, "windows") }
  linux_nodes   = { for name, node in cluster.nodes : name => node if !startswith(node.os, "windows") }

  # Nothing is built when clean-up is where the run ends.
  build = run.stop_after != "cleanup"

  # Everything of this cluster on a hypervisor lives below one folder.
  root = "/var/lib/kinit/clusters/${cluster.name}"

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

stage "cleanup" {
  after = ["prepare"]
}

stage "validate" {
  after = ["cleanup"]
}

stage "network" {
  after = ["validate"]
}

stage "services" {
  after = ["network"]
}

stage "images" {
  after = ["validate"]
}

stage "nodes" {
  after = ["network", "images"]
}
