# overlay: machines that exist and are on the cluster's overlay, because their pool asks for
# it. Each is a chassis as the hypervisors are, with the same authority, and has one device
# on the cluster's network. Its other networks and their routes stay as they are.

locals {
  overlay_machines = [for name in local.machines : name if local.host_nodes[name].overlay]

  # The machine's place on the cluster's network; a device has 15 characters at most.
  machine_device = "knode-${substr(sha256(cluster.name), 0, 6)}"

  # What leaves with the machine's address on the overlay, as the tunnels of the pods' network
  # do, goes to nodes beside the overlay by the cluster's router, as from any other node. All
  # else goes to them as before, so the routes have a table of their own.
  beside_nodes = [for node in values(cluster.nodes) : node.ip if !node.overlay]
  beside_table = 10000 + parseint(substr(sha256(cluster.name), 0, 6), 16) % 10000
}

# Asked before anything is installed: ovn-controller would change what it finds.
task "command" "overlay_taken" {
  stage     = "prepare"
  when      = local.build
  hosts     = local.overlay_machines
  argv      = ["sh", "-c", file("files/overlay-taken.sh"), "overlay-taken", cluster.name]
  read_only = true
}

task "package" "overlay_machine" {
  stage      = "prepare"
  when       = local.build
  hosts      = local.overlay_machines
  names      = concat(coalesce(var.overlay_packages, local.host_system.overlay), ["ethtool", local.host_system.ping])
  timeout    = "20m"
  depends_on = [task.command.overlay_taken, task.package.machine, task.package.repositories]
}

task "assert" "overlay_machines" {
  stage = "validate"
  when  = local.build && length(local.overlay_machines) > 0

  condition {
    holds = alltrue([for name in local.overlay_machines : task.facts.underlay[name].route_mtu >= local.least_mtu])
    message = format("The MTU of the interface with the overlay is below ${local.least_mtu} on: %s.", join(", ", [
      for name in local.overlay_machines :
      "${name} (${task.facts.underlay[name].route_interface}, ${task.facts.underlay[name].route_mtu})"
      if task.facts.underlay[name].route_mtu < local.least_mtu
    ]))
  }
}

# The cluster's network is none that the machine is on already.
task "command" "overlay_network" {
  stage     = "validate"
  when      = local.build
  hosts     = local.overlay_machines
  argv      = ["sh", "-c", file("../../common/files/network.sh"), "network", cluster.network.cidr, local.machine_device]
  read_only = true
}

block "overlay_machines_network" {
  stage = "network"
  hosts = local.overlay_machines

  task "service" "overlay_switch" {
    name    = local.host_system.services.switch
    enabled = true
    state   = "started"
  }

  task "ovs_bridge" "overlay_machine" {
    name          = "br-int"
    datapath_type = local.datapath_type
    fail_mode     = "secure"
    depends_on    = [task.service.overlay_switch]
  }

  # ovn-controller sets vlan-limit where it is not set. The record lets clean-up remove it again.
  task "command" "overlay_vlan_limit" {
    argv = ["ovs-vsctl", "set", "Open_vSwitch", ".", "external_ids:kinit-vlan-limit=none"]
    only_if = ["sh", "-c", fold(<<-EOT
      test -z "$(ovs-vsctl --if-exists get Open_vSwitch . other_config:vlan-limit)$(ovs-vsctl --if-exists get
      Open_vSwitch . external_ids:kinit-vlan-limit)"
      EOT
    )]
    depends_on = [task.service.overlay_switch]
  }

  task "service" "overlay_chassis" {
    name       = local.host_system.services.chassis
    enabled    = true
    state      = "started"
    depends_on = [task.ovs_bridge.overlay_machine, task.command.overlay_vlan_limit]
  }

  # No way outside leads through a machine, so it has no bridge for one.
  task "ovn_chassis" "machine" {
    name          = host.name
    remote        = local.southbound_remote
    encap_type    = "geneve"
    encap_ip      = task.facts.underlay[host.name].route_address
    datapath_type = local.datapath_type
    private_key   = "${local.overlay_pki}/chassis.key"
    certificate   = "${local.overlay_pki}/chassis.crt"
    ca_cert       = "${local.overlay_pki}/chassis-ca.crt"
    depends_on = [
      task.ovn_central.central, task.x509_certificate.chassis, task.copy.overlay_ca, task.service.overlay_chassis,
      task.firewall.tunnels, task.firewall.southbound,
    ]
  }
}

block "overlay_machines" {
  stage = "nodes"
  hosts = local.overlay_machines

  task "ovs_port" "machine" {
    bridge     = "br-int"
    name       = local.machine_device
    type       = "internal"
    mac        = cluster.nodes[host.name].mac
    mtu        = local.overlay_mtu
    iface_id   = cluster.nodes[host.name].port_id
    addresses  = ["${cluster.nodes[host.name].ip}/${cluster.network.prefix}"]
    tx_offload = local.offload
    depends_on = [task.copy.leave, task.ovn_sync.overlay]
  }

  # Addresses of devices are gone after a restart of the machine; this brings them back.
  task "copy" "overlay_machine" {
    dest = local.devices_script
    content = join("", [
      task.ovs_port.machine[host.name].boot_script,
      templatefile("files/announce.sh", { device = local.machine_device }),
    ])
    mode = "0755"
  }

  task "service" "overlay_machine" {
    name       = "kinit-${cluster.name}-devices.service"
    enabled    = true
    state      = "started"
    unit       = local.devices_unit
    depends_on = [task.copy.overlay_machine]
  }

  # The tunnel works, seen from here: a distribution's own tries would not say what is wrong.
  task "command" "overlay_answers" {
    argv = [
      "sh", "-c", file("files/answers.sh"), "answers", local.management[local.services.hypervisor].ip,
      local.services.hypervisor,
    ]
    read_only  = true
    depends_on = [task.service.overlay_machine]

    retry {
      attempts = 10
      delay    = "2s"
    }
  }
}

task "systemd_unit" "overlay_beside" {
  stage   = "nodes"
  hosts   = length(local.beside_nodes) > 0 ? local.overlay_machines : []
  name    = "kinit-${cluster.name}-beside.service"
  enabled = true
  state   = "started"
  content = templatefile("files/beside.service", {
    cluster = cluster.name, nodes = local.beside_nodes, gateway = cluster.network.gateway
    device  = local.machine_device, address = cluster.nodes[host.name].ip, table = local.beside_table
  })
  depends_on = [task.service.overlay_machine]
}

block "overlay_machines_leave" {
  stage = "cleanup"
  when  = local.remove_all
  hosts = local.machines

  # A machine that has left the cluster leaves the overlay: its chassis is deregistered, so that
  # no host keeps a tunnel to it. It must still know where the southbound database is. All
  # machines are asked: the pool's word may be another one than when they joined.
  task "command" "leave_overlay" {
    argv       = ["sh", "-c", file("files/leave-overlay.sh")]
    only_if    = ["sh", "-c", file("../../common/files/last-user.sh"), "last-user", cluster.name]
    depends_on = [task.command.leave_machine]
  }

  task "ovs_sweep" "machine" {
    all        = true
    depends_on = [task.command.leave_overlay]
  }
}
