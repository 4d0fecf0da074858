# network: one overlay over all hypervisors, and machines whose pool asks for it. kinit reaches both
# databases over their sockets; chassis reach the southbound one over TLS.

locals {
  # Geneve takes 58 bytes: outer Ethernet 14, IPv4 20, UDP 8, Geneve 8, OVN's option 8.
  geneve_overhead = 58

  # What a packet between nodes may have on the whole overlay; null without one.
  overlay_mtu = (
    local.overlay
    ? min([for h in local.overlay_hosts : task.facts.underlay[h].route_mtu]...) - local.geneve_overhead
    : null
  )

  overlay_pki = "/var/lib/kinit/shared/overlay"

  datapath_type = var.datapath == "netdev" ? "netdev" : "system"
  management    = { for h in cluster.hypervisors : h.name => h.management }

  # At most 15 characters, which is what the kernel takes for a device.
  management_device = "kmgmt-${substr(sha256(cluster.name), 0, 6)}"
  services_device   = "ksvc-${substr(sha256(cluster.name), 0, 6)}"

  # Brings the addresses of devices back after a restart of a host.
  devices_script = "${local.cluster_folder}/devices.sh"
  devices_unit = templatefile("files/devices.service", {
    cluster = cluster.name
    switch  = local.host_system.services.switch
    script  = local.devices_script
  })
}

# What all chassis have: hypervisors, and machines that are on the overlay.
block "overlay_keys" {
  stage = "network"
  hosts = local.overlay_chassis

  # The overlay is every cluster's on these hosts, and so are the keys with which
  # they speak to its southbound database: they go with the last cluster.
  task "directory" "overlay" {
    path  = local.overlay_pki
    mode  = "0700"
    owner = local.host_system.ovn_user
  }

  # The southbound database lets a chassis write its own rows only. It knows a chassis by the
  # name in its certificate.
  task "command" "chassis_id" {
    argv       = ["ovs-vsctl", "--if-exists", "get", "Open_vSwitch", ".", "external_ids:system-id"]
    read_only  = true
    depends_on = [task.service.overlay_switch]
  }

  task "x509_certificate" "chassis" {
    key          = "${local.overlay_pki}/chassis.key"
    cert         = "${local.overlay_pki}/chassis.crt"
    ca_cert_pem  = task.x509_ca.overlay.cert_pem
    ca_key_pem   = task.x509_ca.overlay.key_pem
    cn           = coalesce(trim(task.command.chassis_id[host.name].stdout, "\"\n"), host.name)
    dns_names    = [host.name]
    ip_addresses = [task.facts.underlay[host.name].route_address]
    usages       = ["server", "client"]
    owner        = local.host_system.ovn_user
    depends_on   = [task.directory.overlay]
  }

  task "copy" "overlay_ca" {
    dest       = "${local.overlay_pki}/chassis-ca.crt"
    content    = task.x509_ca.overlay.cert_pem
    mode       = "0644"
    depends_on = [task.directory.overlay]
  }
}

block "overlay_central" {
  stage = "network"
  when  = local.overlay
  host  = local.first_hypervisor

  task "x509_ca" "overlay" {
    key        = "${local.overlay_pki}/ca.key"
    cert       = "${local.overlay_pki}/ca.crt"
    cn         = "kinit overlay"
    depends_on = [task.directory.overlay]
  }

  task "ovn_central" "central" {
    sb_listen   = "pssl:6642"
    role        = "ovn-controller"
    private_key = "${local.overlay_pki}/chassis.key"
    certificate = "${local.overlay_pki}/chassis.crt"
    ca_cert     = "${local.overlay_pki}/chassis-ca.crt"
    depends_on = [
      task.x509_certificate.chassis, task.copy.overlay_ca, task.systemd_unit.ovn_relay,
      task.systemd_unit.ovn_northd,
    ]
  }
}

block "chassis" {
  stage = "network"
  hosts = local.overlay_hypervisors

  # The way outside. Its address and MAC are the same on every hypervisor, so that the
  # router finds its gateway wherever the gateway port is.
  task "ovs_bridge" "external" {
    name          = "br-ex"
    datapath_type = local.datapath_type
    mac           = "52:54:00:ac:10:fe"
    addresses     = ["${local.external_gateway}/24"]
    tx_offload    = local.offload
  }

  task "ovn_chassis" "chassis" {
    remote          = local.southbound_remote
    encap_type      = "geneve"
    encap_ip        = task.facts.underlay[host.name].route_address
    datapath_type   = local.datapath_type
    bridge_mappings = { provider = "br-ex" }
    private_key     = "${local.overlay_pki}/chassis.key"
    certificate     = "${local.overlay_pki}/chassis.crt"
    ca_cert         = "${local.overlay_pki}/chassis-ca.crt"
    depends_on = [
      task.ovn_central.central, task.ovs_bridge.external, task.firewall.tunnels, task.firewall.southbound,
      task.firewall.outside,
    ]
  }

  # What leaves the router leaves the hypervisor under the hypervisor's own address.
  task "nft_table" "outside" {
    family = "ip"
    name   = "kinit_${replace(cluster.name, "-", "_")}"
    content = templatefile("files/outside.nft", {
      address = local.external_address
      bridge  = "br-ex"
      device  = local.management_device
      inside  = local.inside_networks
    })
  }

  # Each hypervisor has a place on the cluster's network, from which guests are
  # reached: no gateway is between them.
  task "ovs_port" "management" {
    bridge     = "br-int"
    name       = local.management_device
    type       = "internal"
    mac        = local.management[host.name].mac
    mtu        = local.overlay_mtu
    iface_id   = local.management[host.name].port_id
    addresses  = ["${local.management[host.name].ip}/${cluster.network.prefix}"]
    tx_offload = local.offload
  }

  # Addresses of devices are gone after a restart of the host; this brings them back.
  task "copy" "devices" {
    dest       = local.devices_script
    content    = "${task.ovs_bridge.external[host.name].boot_script}${task.ovs_port.management[host.name].boot_script}"
    mode       = "0755"
    depends_on = [task.directory.root]
  }

  task "service" "devices" {
    name       = "kinit-${cluster.name}-devices.service"
    enabled    = true
    state      = "started"
    unit       = local.devices_unit
    depends_on = [task.copy.devices]
  }
}
