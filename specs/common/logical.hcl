# logical: the cluster's switch and router in the northbound database.

locals {
  switch = "kinit-${cluster.name}"
  router = "kinit-${cluster.name}"

  # The router's Ethernet addresses follow from the cluster, like all others.
  router_mac = {
    for name in ["inside", "outside"] :
    name => join(":", concat(["52", "54", "00"], [for i in [0, 2, 4] : substr(sha256("${cluster.id}/${name}"), i, 2)]))
  }

  ports = merge(
    { for n in values(local.overlay_nodes) : n.name => { id = n.port_id, mac = n.mac, ip = n.ip } },
    { for p in values(local.services_on) : p.name => { id = p.port_id, mac = p.mac, ip = p.ip } },
    {
      for h in cluster.hypervisors :
      h.management.name => { id = h.management.port_id, mac = h.management.mac, ip = h.management.ip }
    },
  )
}

block "logical_network" {
  stage = "network"
  when  = local.overlay
  host  = local.first_hypervisor

  # The cluster's switch, its leases and its ports.
  task "ovn_switch" "cluster" {
    name       = local.switch
    depends_on = [task.ovn_central.central]
  }

  task "ovn_dhcp" "cluster" {
    name        = local.switch
    cidr        = cluster.network.cidr
    router      = cluster.network.gateway
    server_mac  = local.router_mac.inside
    mtu         = local.overlay_mtu
    dns_servers = local.name_servers
    domain      = cluster.domain
    depends_on  = [task.ovn_switch.cluster]
  }

  task "ovn_port" "port" {
    for_each = local.overlay ? local.ports : {}
    name     = each.value.id
    switch   = task.ovn_switch.cluster.name
    mac      = each.value.mac
    ip       = each.value.ip
    dhcp     = task.ovn_dhcp.cluster.name
    # A node sends what its pods send, with their addresses, and services have an address that moves.
    allowed_ips = lookup(merge(local.routed_networks, local.moving_addresses), each.key, [])
  }

  # The switch that leads outside is every cluster's.
  task "ovn_switch" "external" {
    name       = "kinit-external"
    shared     = true
    depends_on = [task.ovn_central.central]
  }

  task "ovn_port" "external" {
    name    = "kinit-external-provider"
    switch  = task.ovn_switch.external.name
    type    = "localnet"
    network = "provider"
    shared  = true
  }

  # The cluster's router: inside it is the gateway, outside it is on one hypervisor at
  # a time, and on the next one when that fails.
  task "ovn_router" "cluster" {
    name       = local.router
    depends_on = [task.ovn_central.central]
  }

  task "ovn_router_port" "inside" {
    router   = task.ovn_router.cluster.name
    switch   = task.ovn_switch.cluster.name
    mac      = local.router_mac.inside
    networks = ["${cluster.network.gateway}/${cluster.network.prefix}"]
  }

  task "ovn_router_port" "outside" {
    router          = task.ovn_router.cluster.name
    switch          = task.ovn_switch.external.name
    mac             = local.router_mac.outside
    networks        = ["${local.external_address}/24"]
    gateway_chassis = [for h in local.hypervisors : task.ovn_chassis.chassis[h].id]
  }

  task "ovn_nat" "outside" {
    router      = task.ovn_router.cluster.name
    type        = "snat"
    external_ip = local.external_address
    logical_ip  = cluster.network.cidr
    depends_on  = [task.ovn_router_port.outside]
  }

  task "ovn_route" "outside" {
    router      = task.ovn_router.cluster.name
    prefix      = "0.0.0.0/0"
    nexthop     = local.external_gateway
    output_port = task.ovn_router_port.outside.name
  }

  # Every chassis knows the others and has all flows.
  task "ovn_sync" "overlay" {
    chassis = concat([for h in local.hypervisors : task.ovn_chassis.chassis[h].id], [
      for m in local.driver_chassis :
      task.ovn_chassis.machine[m].id
    ])
    wait = "3m"
    depends_on = [
      task.ovn_port.port, task.ovn_port.external, task.ovn_router_port.inside, task.ovn_router_port.outside,
      task.ovn_nat.outside, task.ovn_route.outside, task.ovs_port.management,
    ]
  }
}
