# Firewalls that are active let k3s through: ufw and firewalld by one module, which finds them.
locals {
  server_ports = concat([tostring(var.api_port)], local.several ? ["2379-2381"] : [])
  node_ports = {
    tcp = ["5001", "10250"]          # the registry between nodes, metrics of the kubelet
    udp = ["8472", "51820", "51821"] # flannel by VXLAN and by WireGuard
  }
}

block "firewall" {
  stage = "prepare"
  hosts = local.nodes
  when  = var.manage_firewall

  task "firewall" "api" {
    protocol = "tcp"
    ports    = [tostring(var.api_port)]
  }

  task "firewall" "etcd" {
    when     = local.several
    protocol = "tcp"
    ports    = ["2379-2381"]
  }

  task "firewall" "nodes" {
    for_each = local.node_ports
    protocol = each.key
    ports    = each.value
  }

  # All packets of other nodes; firewalld has no zone for them here.
  task "firewall" "node" {
    for_each = local.nodes
    when     = task.facts.node[each.key].default_address != ""
    source   = task.facts.node[each.key].default_address
  }

  task "firewall" "networks" {
    for_each = local.networks
    source   = each.key
  }
}

# Arch Linux with iptables on nftables.
block "arch_firewall" {
  stage = "prepare"
  hosts = local.nodes
  when = (
    var.manage_firewall &&
    local.facts.os_id == "arch" &&
    versioncompare(regex("^[0-9]+\\.[0-9]+", local.facts.kernel), "6.18") >= 0
  )

  # Other packages need it, and get it from the next task: so dependencies do not count.
  task "command" "no_iptables" {
    when = contains(keys(task.package_facts.node[host.name].versions), "iptables")
    argv = ["pacman", "-Rdd", "--noconfirm", "iptables"]
  }

  task "package" "nftables" {
    names      = ["iptables-nft", "nftables"]
    depends_on = [task.command.no_iptables]
  }

  task "service_facts" "arch" {
    depends_on = [task.package.nftables]
  }

  block "nftables" {
    when = try(task.service_facts.arch[host.name].services["nftables.service"].enabled, false)

    task "directory" "nftables" {
      path = "/etc/nftables.d"
      mode = "0755"
    }

    task "line_in_file" "nftables" {
      path   = "/etc/nftables.conf"
      match  = "^include \"/etc/nftables\\.d/\\*\\.nft\"$"
      line   = "include \"/etc/nftables.d/*.nft\""
      notify = [handler.service.nftables]
    }

    task "template" "nftables" {
      dest     = "${task.directory.nftables[host.name].path}/k3s.nft"
      template = file("templates/k3s.nft.tmpl")
      mode     = "0644"
      vars = {
        nodes        = compact([for name in local.nodes : task.facts.node[name].default_address])
        server_ports = local.server_ports
        node_ports   = local.node_ports
        networks     = local.networks
      }
      notify = [handler.service.nftables]
    }
  }
}

handler "service" "nftables" {
  name  = "nftables"
  state = "reloaded"
}
