# Every host carries the overlay.
stage "network" {}

task "ovn_chassis" "chassis" {
  stage           = "network"
  hosts           = run.hosts
  remote          = "tcp:192.0.2.1:6642"
  encap_ip        = host.address
  bridge_mappings = { provider = "br-ex" }
}
