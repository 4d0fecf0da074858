# A disk on top of a base image, and an empty one.
stage "guests" {}

block "guest" {
  stage = "guests"
  host  = run.hosts[0]

  task "libvirt_volume" "guest" {
    name    = "guest"
    backing = "/var/lib/libvirt/images/debian-12.qcow2"
    size    = "20GiB"
  }

  task "libvirt_volume" "data" {
    name = "guest-data"
    size = "100GiB"
  }
}
