# firewall: what passes a firewall that is active on a host of the cluster. Where none is, there is
# nothing to do. Clusters on the same hosts need the same rules for their overlay, and share them.

# Tunnels between all that are on the overlay.
task "firewall" "tunnels" {
  stage     = "network"
  hosts     = local.overlay ? local.overlay_hosts : []
  protocol  = "udp"
  ports     = ["6081"]
  interface = task.facts.underlay[host.name].route_interface
}

# The southbound database, which the others ask; it asks each for its certificate.
task "firewall" "southbound" {
  stage     = "network"
  when      = length(local.overlay_hosts) > 1 && (host.name == local.first_hypervisor || local.clustered)
  hosts     = local.database_hosts
  protocol  = "tcp"
  ports     = ["6642"]
  interface = task.facts.underlay[host.name].route_interface
}

# What nodes send outside leaves the router by this bridge, with the router's address.
task "firewall" "outside" {
  stage     = "network"
  hosts     = local.overlay_hypervisors
  direction = "forward"
  interface = "br-ex"
  source    = local.external_cidr
}

# Nodes and machines beside the overlay reach each other through the services' hypervisor.
task "firewall" "machines" {
  stage       = "network"
  for_each    = length(local.machines_beside) + length(local.windows_beside) > 0 ? toset(["in", "out"]) : []
  host        = local.services.hypervisor
  direction   = "forward"
  source      = each.key == "out" ? cluster.network.cidr : null
  destination = each.key == "in" ? cluster.network.cidr : null
}

# Into the pod, by the ports that are behind those that are published, and out of it.
task "firewall" "published" {
  stage         = "services"
  hosts         = local.services_hosts
  direction     = "forward"
  protocol      = "tcp"
  ports         = distinct([for inside in values(local.published_ports) : tostring(inside)])
  destination   = task.podman_network.outside[host.name].subnet
  out_interface = task.podman_network.outside[host.name].interface
}

task "firewall" "pod" {
  stage     = "services"
  hosts     = local.services_hosts
  direction = "forward"
  source    = task.podman_network.outside[host.name].subnet
  interface = task.podman_network.outside[host.name].interface
}
