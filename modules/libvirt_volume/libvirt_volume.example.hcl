# A disk on top of a base image, and an empty one.
stage "guests" {}

task "libvirt_volume" "guest" {
  stage   = "guests"
  host    = run.hosts[0]
  name    = "guest"
  backing = "/var/lib/libvirt/images/debian-12.qcow2"
  size    = "20GiB"
}

task "libvirt_volume" "data" {
  stage = "guests"
  host  = run.hosts[0]
  name  = "guest-data"
  size  = "100GiB"
}
