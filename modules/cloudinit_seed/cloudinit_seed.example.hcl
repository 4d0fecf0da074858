# What a guest reads at its first boot.
stage "guests" {}

task "cloudinit_seed" "guest" {
  stage           = "guests"
  host            = run.hosts[0]
  path            = "/var/lib/libvirt/images/guest-seed.iso"
  hostname        = "guest"
  authorized_keys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGFh admin@example.org"]

  network {
    mac  = "52:54:00:12:34:56"
    dhcp = true
  }
}
