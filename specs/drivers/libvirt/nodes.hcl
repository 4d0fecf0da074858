# nodes: a disk, a seed and a domain for each guest with Linux, then wait until it answers.

task "libvirt_volume" "node" {
  stage    = "nodes"
  for_each = local.libvirt_linux
  host     = each.value.hypervisor
  name     = each.key
  backing  = task.download.guest_image[each.value.hypervisor].path
  size     = each.value.disk
}

task "cloudinit_seed" "node" {
  stage           = "nodes"
  for_each        = local.libvirt_linux
  host            = each.value.hypervisor
  path            = "${local.image_dir}/${each.key}-seed.iso"
  hostname        = each.key
  fqdn            = "${each.key}.${cluster.domain}"
  instance_id     = each.value.uuid
  authorized_keys = [task.ssh_key.cluster.public_key]
  allow_root      = true
  packages        = concat(var.guest_packages, local.node_packages)

  host_key {
    private = task.ssh_key.node[each.key].private_key
    public  = task.ssh_key.node[each.key].public_key
  }

  network {
    mac  = each.value.mac
    dhcp = true
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

  nic {
    bridge  = "br-int"
    mac     = each.value.mac
    port_id = each.value.port_id
    mtu     = min([for h in local.overlay_hosts : task.facts.underlay[h].route_mtu]...) - local.geneve_overhead
    offload = local.offload
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
  evidence = [
    ["virsh", "--connect", "qemu:///system", "domstate", "--reason", each.key],
    ["tail", "-n", "30", task.libvirt_domain.node[each.key].console_log],
  ]
}

# A guest is a host like any other, reached through its hypervisor.
host "libvirt" {
  for_each    = local.libvirt_linux
  name        = each.key
  address     = each.value.ip
  user        = "root"
  via         = each.value.hypervisor
  private_key = task.ssh_key.cluster.private_key
  host_keys   = [task.ssh_key.node[each.key].public_key]
  console     = ["virsh", "--connect", "qemu:///system", "console", each.key]
  depends_on  = [task.wait.node[each.key]]

  connect_timeout = "60s" # a guest without KVM lets people in slowly

  take_console = ["virsh", "--connect", "qemu:///system", "console", each.key, "--force"]
  screen       = ["virsh", "--connect", "qemu:///system", "vncdisplay", each.key]
}

# cloud-init has the last word on packages and files; what follows stands on them.
task "wait" "cloudinit" {
  stage    = "nodes"
  for_each = local.libvirt_linux
  host     = each.key
  path     = "/var/lib/cloud/instance/boot-finished"
  within   = var.boot_timeout
  evidence = [["cloud-init", "status", "--long"], ["tail", "-n", "30", "/var/log/cloud-init-output.log"]]

  # cloud-init restarts sshd, which has answered before, and then nobody is there.
  retry {
    attempts = 10
    delay    = "3s"
  }
}
