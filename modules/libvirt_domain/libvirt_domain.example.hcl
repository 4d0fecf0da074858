# A guest from a cloud image.
stage "guests" {}

block "guest" {
  stage = "guests"
  host  = run.hosts[0]

  task "libvirt_volume" "guest" {
    name    = "guest"
    backing = "/var/lib/libvirt/images/debian-12.qcow2"
    size    = "20GiB"
  }

  task "cloudinit_seed" "guest" {
    path            = "/var/lib/libvirt/images/guest-seed.iso"
    hostname        = "guest"
    authorized_keys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGFh admin@example.org"]

    network {
      mac  = "52:54:00:12:34:56"
      dhcp = true
    }
  }

  task "libvirt_domain" "guest" {
    name      = "guest"
    vcpus     = 2
    memory    = "4GiB"
    disk      = task.libvirt_volume.guest.path
    seed      = task.cloudinit_seed.guest.path
    autostart = true

    nic {
      bridge = "br0"
      mac    = "52:54:00:12:34:56"
    }
  }
}
