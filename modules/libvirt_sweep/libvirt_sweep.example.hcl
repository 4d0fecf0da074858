# Remove the cluster's guests but for one.
stage "cleanup" {}

task "libvirt_sweep" "guests" {
  stage        = "cleanup"
  hosts        = run.hosts
  keep         = ["guest"]
  keep_volumes = ["/var/lib/libvirt/images/guest.qcow2", "/var/lib/libvirt/images/guest-seed.iso"]
}
