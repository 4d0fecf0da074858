# network: one overlay over all hypervisors, and machines whose pool asks for it. The
# northbound database is reached over its socket; the southbound one listens with TLS.

locals {
  # Geneve takes 58 bytes: outer Ethernet 14, IPv4 20, UDP 8, Geneve 8, OVN's option 8.
  geneve_overhead = 58

  overlay_pki = "/var/lib/kinit/shared/overlay"

  datapath_type = var.datapath == "netdev" ? "netdev" : "system"
  switch        = "kinit-${cluster.name}"
  router        = "kinit-${cluster.name}"

  # The router's Ethernet addresses follow from the cluster, like all others.
  router_mac = { for name in ["inside", "outside"] : name => join(":", concat(["52", "54", "00"], [for i in [0, 2, 4] : substr(sha256("${cluster.id}/${name}"), i, 2)])) }

  ports = merge(
    { for n in values(local.overlay_nodes) : n.name => { id = n.port_id, mac = n.mac, ip = n.ip } },
    { for p in cluster.pods : p.name => { id = p.port_id, mac = p.mac, ip = p.ip } },
    { for h in cluster.hypervisors : h.management.name => { id = h.management.port_id, mac = h.management.mac, ip = h.management.ip } },
  )
  management = { for h in cluster.hypervisors : h.name => h.management }

  # At most 15 characters, which is what the kernel takes for a device.
  management_device = "kmgmt-${substr(sha256(cluster.name), 0, 6)}"
  services_device   = "ksvc-${substr(sha256(cluster.name), 0, 6)}"
}

# The overlay is every cluster's on these hypervisors, and so are the keys with which
# they speak to its southbound database: they go with the last cluster.
task "directory" "overlay" {
  stage = "network"
  hosts = local.overlay_hypervisors
  path  = local.overlay_pki
  mode  = "0700"
  owner = local.prepared[task.command.system[host.name].stdout].ovn_user
}

# The southbound database lets a hypervisor write its own rows only. It knows a hypervisor by
# the name in its certificate.
task "command" "chassis_id" {
  stage     = "network"
  hosts     = local.overlay_hypervisors
  argv      = ["ovs-vsctl", "--if-exists", "get", "Open_vSwitch", ".", "external_ids:system-id"]
  read_only = true
}

task "x509_ca" "overlay" {
  stage      = "network"
  when       = local.overlay
  host       = local.first
  key        = "${local.overlay_pki}/ca.key"
  cert       = "${local.overlay_pki}/ca.crt"
  cn         = "kinit overlay"
  depends_on = [task.directory.overlay]
}

task "x509_certificate" "chassis" {
  stage        = "network"
  hosts        = local.overlay_hypervisors
  key          = "${local.overlay_pki}/chassis.key"
  cert         = "${local.overlay_pki}/chassis.crt"
  ca_cert_pem  = task.x509_ca.overlay.cert_pem
  ca_key_pem   = task.x509_ca.overlay.key_pem
  cn           = coalesce(trim(task.command.chassis_id[host.name].stdout, "\"\n"), host.name)
  dns_names    = [host.name]
  ip_addresses = [task.facts.underlay[host.name].route_address]
  usages       = ["server", "client"]
  owner        = local.prepared[task.command.system[host.name].stdout].ovn_user
  depends_on   = [task.directory.overlay]
}

task "copy" "overlay_ca" {
  stage      = "network"
  hosts      = local.overlay_hypervisors
  dest       = "${local.overlay_pki}/chassis-ca.crt"
  content    = task.x509_ca.overlay.cert_pem
  mode       = "0644"
  depends_on = [task.directory.overlay]
}

task "ovn_central" "central" {
  stage       = "network"
  when        = local.overlay
  host        = local.first
  sb_listen   = "pssl:6642"
  role        = "ovn-controller"
  private_key = "${local.overlay_pki}/chassis.key"
  certificate = "${local.overlay_pki}/chassis.crt"
  ca_cert     = "${local.overlay_pki}/chassis-ca.crt"
  depends_on  = [task.x509_certificate.chassis, task.copy.overlay_ca]
}

# The way outside. Its address and MAC are the same on every hypervisor, so that the
# router finds its gateway wherever the gateway port is.
task "ovs_bridge" "external" {
  stage         = "network"
  hosts         = local.overlay_hypervisors
  name          = "br-ex"
  datapath_type = local.datapath_type
  mac           = "52:54:00:ac:10:fe"
  addresses     = ["${local.external_gateway}/24"]
  tx_offload    = local.offload
}

task "ovn_chassis" "chassis" {
  stage           = "network"
  hosts           = local.overlay_hypervisors
  remote          = "ssl:${task.facts.underlay[local.first].route_address}:6642"
  encap_type      = "geneve"
  encap_ip        = task.facts.underlay[host.name].route_address
  datapath_type   = local.datapath_type
  bridge_mappings = { provider = "br-ex" }
  private_key     = "${local.overlay_pki}/chassis.key"
  certificate     = "${local.overlay_pki}/chassis.crt"
  ca_cert         = "${local.overlay_pki}/chassis-ca.crt"
  depends_on      = [task.ovn_central.central, task.ovs_bridge.external, task.firewall.tunnels, task.firewall.southbound, task.firewall.outside]
}

# The cluster's switch, its leases and its ports.
task "ovn_switch" "cluster" {
  stage      = "network"
  when       = local.overlay
  host       = local.first
  name       = local.switch
  depends_on = [task.ovn_central.central]
}

task "ovn_dhcp" "cluster" {
  stage       = "network"
  when        = local.overlay
  host        = local.first
  name        = local.switch
  cidr        = cluster.network.cidr
  router      = cluster.network.gateway
  server_mac  = local.router_mac.inside
  mtu         = min([for h in local.overlay_hosts : task.facts.underlay[h].route_mtu]...) - local.geneve_overhead
  dns_servers = [local.services.ip]
  domain      = cluster.domain
  depends_on  = [task.ovn_switch.cluster]
}

task "ovn_port" "port" {
  stage    = "network"
  when     = local.overlay
  for_each = local.overlay ? local.ports : {}
  host     = local.first
  name     = each.value.id
  switch   = task.ovn_switch.cluster.name
  mac      = each.value.mac
  ip       = each.value.ip
  dhcp     = task.ovn_dhcp.cluster.name
  # A node sends what its pods send, with their addresses.
  allowed_ips = lookup(local.routed_networks, each.key, [])
}

# The switch that leads outside is every cluster's.
task "ovn_switch" "external" {
  stage      = "network"
  when       = local.overlay
  host       = local.first
  name       = "kinit-external"
  shared     = true
  depends_on = [task.ovn_central.central]
}

task "ovn_port" "external" {
  stage   = "network"
  when    = local.overlay
  host    = local.first
  name    = "kinit-external-provider"
  switch  = task.ovn_switch.external.name
  type    = "localnet"
  network = "provider"
  shared  = true
}

# The cluster's router: inside it is the gateway, outside it is on one hypervisor at
# a time, and on the next one when that fails.
task "ovn_router" "cluster" {
  stage      = "network"
  when       = local.overlay
  host       = local.first
  name       = local.router
  depends_on = [task.ovn_central.central]
}

task "ovn_router_port" "inside" {
  stage    = "network"
  when     = local.overlay
  host     = local.first
  router   = task.ovn_router.cluster.name
  switch   = task.ovn_switch.cluster.name
  mac      = local.router_mac.inside
  networks = ["${cluster.network.gateway}/${cluster.network.prefix}"]
}

task "ovn_router_port" "outside" {
  stage           = "network"
  when            = local.overlay
  host            = local.first
  router          = task.ovn_router.cluster.name
  switch          = task.ovn_switch.external.name
  mac             = local.router_mac.outside
  networks        = ["${local.external_address}/24"]
  gateway_chassis = [for h in local.hypervisors : task.ovn_chassis.chassis[h].id]
}

task "ovn_nat" "outside" {
  stage       = "network"
  when        = local.overlay
  host        = local.first
  router      = task.ovn_router.cluster.name
  type        = "snat"
  external_ip = local.external_address
  logical_ip  = cluster.network.cidr
  depends_on  = [task.ovn_router_port.outside]
}

task "ovn_route" "outside" {
  stage       = "network"
  when        = local.overlay
  host        = local.first
  router      = task.ovn_router.cluster.name
  prefix      = "0.0.0.0/0"
  nexthop     = local.external_gateway
  output_port = task.ovn_router_port.outside.name
}

# What leaves the router leaves the hypervisor under the hypervisor's own address.
task "nft_table" "outside" {
  stage  = "network"
  hosts  = local.overlay_hypervisors
  family = "ip"
  name   = "kinit_${replace(cluster.name, "-", "_")}"
  content = templatefile("files/outside.nft", {
    address = local.external_address, bridge = "br-ex", device = local.management_device, inside = local.inside_networks
  })
}

# Each hypervisor has a place on the cluster's network, from which guests are
# reached: no gateway is between them.
task "ovs_port" "management" {
  stage      = "network"
  hosts      = local.overlay_hypervisors
  bridge     = "br-int"
  name       = local.management_device
  type       = "internal"
  mac        = local.management[host.name].mac
  mtu        = min([for h in local.overlay_hosts : task.facts.underlay[h].route_mtu]...) - local.geneve_overhead
  iface_id   = local.management[host.name].port_id
  addresses  = ["${local.management[host.name].ip}/${cluster.network.prefix}"]
  tx_offload = local.offload
}

# Every chassis knows the others and has all flows.
task "ovn_sync" "overlay" {
  stage   = "network"
  when    = local.overlay
  host    = local.first
  chassis = concat([for h in local.hypervisors : task.ovn_chassis.chassis[h].id], [for m in local.driver_chassis : task.ovn_chassis.machine[m].id])
  wait    = "3m"
  depends_on = [
    task.ovn_port.port, task.ovn_port.external, task.ovn_router_port.inside, task.ovn_router_port.outside,
    task.ovn_nat.outside, task.ovn_route.outside, task.ovs_port.management,
  ]
}

# Addresses of devices are gone after a restart of the host; this brings them back.
task "copy" "devices" {
  stage      = "network"
  hosts      = local.overlay_hypervisors
  dest       = "${local.root}/devices.sh"
  content    = "${task.ovs_bridge.external[host.name].boot_script}${task.ovs_port.management[host.name].boot_script}"
  mode       = "0755"
  depends_on = [task.directory.root]
}

task "service" "devices" {
  stage      = "network"
  hosts      = local.overlay_hypervisors
  name       = "kinit-${cluster.name}-devices.service"
  enabled    = true
  state      = "started"
  unit       = templatefile("files/devices.service", { cluster = cluster.name, switch = local.prepared[task.command.system[host.name].stdout].services.switch, script = "${local.root}/devices.sh" })
  depends_on = [task.copy.devices]
}
