# A port of the host's own on the overlay.
stage "network" {}

task "ovs_port" "management" {
  stage     = "network"
  hosts     = run.hosts
  bridge    = "br-int"
  name      = "mgmt0"
  type      = "internal"
  iface_id  = "management-${host.name}"
  mac       = "52:54:00:00:00:fe"
  mtu       = 1442
  addresses = ["10.0.0.254/24"]
}
