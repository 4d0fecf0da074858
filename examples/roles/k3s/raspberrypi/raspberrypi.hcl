# Control groups of a Raspberry Pi, on the command line of its kernel.

import {
  source = "../shared"
}

block "board" {
  stage = "prepare"
  hosts = local.nodes

  task "command" "cpuinfo" {
    argv        = ["grep", "-E", "Raspberry Pi|BCM2708|BCM2709|BCM2835|BCM2836", "/proc/cpuinfo"]
    read_only   = true
    failed_when = false
  }

  task "command" "model" {
    argv        = ["grep", "-E", "Raspberry Pi", "/proc/device-tree/model"]
    read_only   = true
    failed_when = false
  }
}

locals {
  raspberry = task.command.cpuinfo[host.name].code == 0 || task.command.model[host.name].code == 0

  # Where the command line may be, best first.
  places = {
    arch     = ["/boot/boot.txt", "/boot/cmdline.txt"]
    debian   = ["/boot/firmware/cmdline.txt", "/boot/cmdline.txt"]
    raspbian = ["/boot/firmware/cmdline.txt", "/boot/cmdline.txt"]
    ubuntu   = ["/boot/firmware/cmdline.txt", "/boot/firmware/current/cmdline.txt"]
    centos   = ["/boot/cmdline.txt"]
  }
  places_here = lookup(local.places, local.facts.os_id, [])
  present     = [for path in local.places_here : path if task.stat.command_line[host.name][path].exists]
  boot_file   = length(local.present) > 0 ? local.present[0] : null
  first_word  = local.boot_file == "/boot/boot.txt" ? "setenv bootargs" : "\\S"
}

block "raspberrypi" {
  stage      = "prepare"
  hosts      = local.nodes
  when       = local.raspberry
  depends_on = [block.board]

  task "stat" "command_line" {
    for_each = distinct(flatten(values(local.places)))
    path     = each.key
  }

  # Instances that edit one file do so one after the other.
  task "replace" "control_groups" {
    for_each    = ["cgroup_enable=cpuset", "cgroup_memory=1", "cgroup_enable=memory"]
    when        = local.boot_file != null
    path        = coalesce(local.boot_file, "/")
    match       = "^(${local.first_word}(?!.*\\b${each.key}\\b).*)$"
    replacement = "$1 ${each.key}"
    notify      = [handler.command.bootloader, handler.reboot.pi]
  }

  # Old versions do not work with k3s in their new form.
  block "old_iptables" {
    when = contains(["debian", "raspbian"], local.facts.os_id) && versionmatches(local.iptables, "> 0, < 1.6.2")

    task "debug" "old_iptables" {
      message = "${host.name} has iptables ${local.iptables}: it changes to iptables-legacy."
    }

    task "command" "flush" {
      argv         = ["iptables", "-F"]
      changed_when = false
    }

    task "alternatives" "legacy" {
      for_each   = ["iptables", "ip6tables"]
      name       = each.key
      path       = "/usr/sbin/${each.key}-legacy"
      depends_on = [task.command.flush]
    }
  }

  # VXLAN is in a package of its own in these releases.
  task "package" "ubuntu_modules" {
    when         = local.facts.os_id == "ubuntu" && versionmatches(local.facts.os_version, ">= 20.10, < 24.04")
    names        = ["linux-modules-extra-raspi"]
    update_cache = var.airgap_dir == null
  }
}

handler "command" "bootloader" {
  when = local.boot_file == "/boot/boot.txt"
  argv = ["./mkscr"]
  cwd  = "/boot"
}

handler "reboot" "pi" {
  unconditional = true
  within        = "2m"
  depends_on    = [handler.command.bootloader]
}
