# common: the parts of all clusters: hypervisors, overlay, services and clean-up. The order of the stages is in
# stages.hcl. This file has names and lists that several stages use.
#
# Offers:
#   local.api_port                 the port of the API at the services
#   local.build                    whether the run goes on after clean-up
#   local.cluster_folder           the folder of the cluster on a hypervisor
#   local.cluster_names            name and domain of the cluster, for templates
#   local.computes                 the nodes that are no controllers
#   local.controllers              the nodes of the control plane
#   local.copy_hosts               hypervisors that keep copies of the keys
#   local.files_port               the port of the file server
#   local.first_hypervisor         the hypervisor for what exists once
#   local.hypervisors              names of all hypervisors
#   local.leaves                   whether a node leaves
#   local.leaving                  nodes that leave for good
#   local.linux_nodes              nodes that run Linux
#   local.overlay                  whether the cluster has an overlay
#   local.overlay_mtu              the MTU inside the overlay
#   local.overlay_nodes            nodes on the overlay
#   local.registry                 the registry as nodes name it
#   local.registry_local           the registry as its own hypervisor reaches it
#   local.service_root             the folder of the services
#   local.services                 the services pod, or the first of several
#   local.services_address         where nodes find the services
#   local.services_hosts           hypervisors with services
#   local.services_on              the services pods, by hypervisor
#   local.services_others          hypervisors with services, without the first
#   local.windows_nodes            nodes that run Windows
#   var.ingress_node_ports         the node ports of the addon ingress
#   var.published_ports            ports of the services' hypervisor that lead to the services
#   task.command.login             checks that the registry takes its credentials
#   task.copy.record               the record of the cluster
#   task.directory.pki             the folder of keys and certificates
#   task.directory.root            the folder of the cluster
#   task.directory.services        the folders of the services
#   task.facts.underlay            the network that carries the overlay, on each host
#   task.ovn_router.cluster        the overlay's router
#   task.ovn_router_port.inside    the router's port to the nodes
#   task.secret.registry_nodes     the password by which nodes pull
#   task.secret.registry_password  the password by which kinit pushes
#   task.x509_ca.cluster           the authority of the services
#
# Needs:
#   local.distribution_pins  names of the pins that the distribution fetches
#   local.inside_networks    networks inside the cluster besides the nodes'
#   local.leaving_routes     networks of pods on nodes that leave
#   local.pod_networks       networks of pods
#   local.routed_networks    networks that the overlay routes to a node, by node

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
