# nodes: a disk, a seed and a domain for each guest with Linux, then wait until it answers.

task "libvirt_volume" "node" {
  stage    = "nodes"
  for_each = local.libvirt_linux
  host     = each.value.hypervisor
  name     = each.key
  backing  = task.download.guest_image["${each.value.hypervisor}/${local.guest_pins[each.key]}"].path
  size     = each.value.disk
}

task "libvirt_volume" "data" {
  stage    = "nodes"
  for_each = local.guest_volumes
  host     = each.value.host
  name     = each.key
  size     = each.value.size
}

task "cloudinit_seed" "node" {
  stage           = "nodes"
  for_each        = local.libvirt_linux
  host            = each.value.hypervisor
  path            = "${local.image_dir}/${each.key}-seed.iso"
  hostname        = each.key
  fqdn            = "${each.key}.${cluster.domain}"
  instance_id     = each.value.uuid
  authorized_keys = var.guest_user == "root" ? [task.ssh_key.cluster.public_key] : []
  allow_root      = var.guest_user == "root"
  packages        = var.guest_packages

  # cloud-init writes these into apt's lists before it installs anything.
  extra_user_data = var.debian_mirror == "" ? null : {
    apt = {
      primary  = [{ arches = ["default"], uri = "${trimsuffix(var.debian_mirror, "/")}/debian" }]
      security = [{ arches = ["default"], uri = "${trimsuffix(var.debian_mirror, "/")}/debian-security" }]
    }
  }

  host_key {
    private = task.ssh_key.node[each.key].private_key
    public  = task.ssh_key.node[each.key].public_key
  }

  dynamic "user" {
    for_each = var.guest_user == "root" ? [] : [var.guest_user]
    content {
      name            = user.value
      shell           = "/bin/bash"
      sudo            = "ALL=(ALL) NOPASSWD:ALL"
      authorized_keys = [task.ssh_key.cluster.public_key]
    }
  }

  network {
    mac  = each.value.mac
    dhcp = true
  }

  dynamic "network" {
    for_each = [for nic in local.guest_nics[each.key] : nic if nic.dhcp || length(nic.addresses) > 0]
    content {
      mac       = network.value.mac
      dhcp      = network.value.dhcp
      addresses = network.value.addresses
    }
  }
}

task "libvirt_domain" "node" {
  stage      = "nodes"
  for_each   = local.libvirt_linux
  host       = each.value.hypervisor
  name       = each.key
  uuid       = each.value.uuid
  vcpus      = each.value.vcpus
  memory     = each.value.memory
  virt_type  = var.virt_type
  disk_cache = var.disk_cache
  disk       = task.libvirt_volume.node[each.key].path
  seed       = task.cloudinit_seed.node[each.key].path
  autostart  = true

  data_disks  = [for volume in local.guest_data[each.key] : task.libvirt_volume.data[volume].path]
  pci_devices = local.guest_devices[each.key]

  dynamic "nic" {
    for_each = local.guest_cards[each.key]
    content {
      bridge  = nic.value.bridge
      mac     = nic.value.mac
      port_id = nic.value.port_id
      mtu     = nic.value.mtu
      offload = nic.value.offload
    }
  }

  depends_on = [task.ovn_port.port[each.key], task.ovn_sync.overlay]
}

# The first answer of sshd, over the overlay, as seen from the hypervisor.
task "wait" "node" {
  stage    = "nodes"
  for_each = local.libvirt_linux
  host     = each.value.hypervisor
  address  = each.value.ip
  port     = 22
  banner   = "SSH-"
  # How busy the hypervisor is, is measured; that its guests are emulated is known.
  within = stretch(var.boot_timeout, local.emulated ? 4 : 1)

  # Now and then an emulated guest hangs as it boots; the next boot goes through. Nothing else resumes
  # a paused one.
  watchdog {
    file    = task.libvirt_domain.node[each.key].console_log
    silence = stretch(var.boot_silence, local.emulated ? 2 : 1)
    stuck   = "kthread timer wakeup didn't happen" # Linux: interrupts of an emulated timer are lost
    argv    = ["sh", "-c", file("files/restart.sh"), "restart", each.key]
  }

  evidence = [
    concat(local.virsh, ["domstate", "--reason", each.key]),
    ["tail", "-n", "30", task.libvirt_domain.node[each.key].console_log],
  ]
}

# A guest is a host like any other, reached through its hypervisor.
host "libvirt" {
  for_each    = local.libvirt_linux
  name        = each.key
  address     = each.value.ip
  user        = var.guest_user
  become      = var.guest_user != "root"
  via         = each.value.hypervisor
  private_key = task.ssh_key.cluster.private_key
  host_keys   = [task.ssh_key.node[each.key].public_key]
  console     = concat(local.virsh, ["console", each.key])
  depends_on  = [task.wait.node[each.key]]

  connect_timeout = "60s" # a guest without KVM lets people in slowly

  take_console = concat(local.virsh, ["console", each.key, "--force"])
  screen       = concat(local.virsh, ["vncdisplay", each.key])
}

# cloud-init has the last word on packages and files; what follows stands on them.
task "wait" "cloudinit" {
  stage    = "nodes"
  for_each = local.libvirt_linux
  host     = each.key
  path     = "/var/lib/cloud/instance/boot-finished"
  within   = stretch(var.boot_timeout, local.emulated ? 4 : 1)
  evidence = [["cloud-init", "status", "--long"], ["tail", "-n", "30", "/var/log/cloud-init-output.log"]]

  # cloud-init restarts sshd after it has answered, and then nothing listens for a moment.
  retry {
    attempts = 10
    delay    = "3s"
  }
}

# What the distribution needs on a node and its image does not have.
task "package" "node" {
  stage   = "nodes"
  when    = length(local.node_packages) > 0
  hosts   = keys(local.libvirt_linux)
  names   = local.node_packages
  timeout = "30m"
  advice = fold(<<-EOT
    Packages of guests come from
    ${var.debian_mirror == "" ? "where their image says" : trimsuffix(var.debian_mirror, "/")}. The variable
    debian_mirror names another site with the layout of deb.debian.org.
    EOT
  )
  depends_on = [task.wait.cloudinit]
}
