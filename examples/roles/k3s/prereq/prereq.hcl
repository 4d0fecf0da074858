# What nodes need before k3s.

import {
  source = "../shared"
}

stage "prepare" {}

block "prereq" {
  stage = "prepare"
  hosts = local.nodes

  task "package" "policycoreutils" {
    when         = local.facts.os_id == "ubuntu"
    names        = ["policycoreutils"]
    update_cache = var.airgap_dir == null
  }

  task "package" "kernel_modules" {
    when         = local.facts.os_family == "rhel" && local.release == 10 && local.facts.os_id != "ol"
    names        = ["kernel-modules-extra"]
    update_cache = var.airgap_dir == null
  }

  task "package" "kernel_modules_oracle" {
    when         = local.facts.os_id == "ol" && local.release == 10
    names        = ["kernel-uek-modules-extra"]
    update_cache = var.airgap_dir == null
  }

  task "sysctl" "forward" {
    name  = "net.ipv4.ip_forward"
    value = "1"
  }

  task "sysctl" "forward6" {
    when = anytrue([
      for i in values(local.facts.interfaces) :
      anytrue([for address in i.addresses : strcontains(address, ":") && address != "::1"])
    ])
    name  = "net.ipv6.conf.all.forwarding"
    value = "1"
  }

  # Bridged packets pass the firewall.
  block "bridges" {
    when = contains(["rhel", "arch"], local.facts.os_family)

    task "kernel_module" "bridges" {
      name = "br_netfilter"
    }

    task "sysctl" "bridges" {
      for_each   = ["net.bridge.bridge-nf-call-iptables", "net.bridge.bridge-nf-call-ip6tables"]
      name       = each.key
      value      = "1"
      depends_on = [task.kernel_module.bridges]
    }
  }

  task "read_file" "apparmor" {
    path     = "/sys/module/apparmor/parameters/enabled"
    optional = true
  }

  task "package" "apparmor_suse" {
    when  = local.facts.os_family == "suse" && local.release < 16 && local.apparmor
    names = ["apparmor-parser"]
  }

  task "package" "apparmor_debian" {
    when  = local.facts.os_id == "debian" && local.release == 11 && local.apparmor
    names = ["apparmor"]
  }

  task "package_facts" "node" {}

  task "debug" "iptables" {
    when = versionmatches(local.iptables, "> 1.7.9, < 1.8.5")
    message = fold(<<-EOT
      k3s has trouble with iptables ${local.iptables} of ${host.name}: add --prefer-bundled-bin to extra_server_args.
      EOT
    )
  }

  task "line_in_file" "sudo_path" {
    when     = local.facts.os_family == "rhel"
    path     = "/etc/sudoers"
    match    = "Defaults\\s*secure_path\\s*="
    line     = "Defaults    secure_path = /sbin:/bin:/usr/sbin:/usr/bin:/usr/local/bin"
    validate = ["visudo", "-cf", "%s"]
  }
}

locals {
  apparmor = trimspace(task.read_file.apparmor[host.name].content) == "Y"
  iptables = try(regex("[0-9]+(?:\\.[0-9]+)+", task.package_facts.node[host.name].versions.iptables), "0")
}

# k3s' folder elsewhere.
block "location" {
  stage = "prepare"
  hosts = local.nodes
  when  = var.k3s_server_location != "/var/lib/rancher/k3s"

  task "directory" "rancher" {
    path = "/var/lib/rancher"
    mode = "0755"
  }

  task "link" "k3s" {
    path       = "/var/lib/rancher/k3s"
    target     = var.k3s_server_location
    force      = true
    depends_on = [task.directory.rancher]
  }
}

block "manifests" {
  stage      = "prepare"
  hosts      = local.nodes
  when       = length(var.extra_manifests) > 0
  depends_on = [block.location]

  task "directory" "manifests" {
    path = "/var/lib/rancher/k3s/server/manifests"
    mode = "0700"
  }

  task "copy" "manifest" {
    for_each = var.extra_manifests
    source   = each.key
    dest     = "${task.directory.manifests[host.name].path}/${basename(each.key)}"
    mode     = "0600"
  }
}

block "registries" {
  stage = "prepare"
  hosts = local.nodes
  when  = var.registries_config_yaml != ""

  task "directory" "registries" {
    path = "/etc/rancher/k3s"
    mode = "0755"
  }

  task "copy" "registries" {
    dest    = "${task.directory.registries[host.name].path}/registries.yaml"
    content = var.registries_config_yaml
    mode    = "0644"
  }
}
