# Go on when every host has what was written.
stage "network" {}

task "ovn_chassis" "chassis" {
  stage           = "network"
  hosts           = run.hosts
  remote          = "tcp:192.0.2.1:6642"
  encap_ip        = host.address
  bridge_mappings = { provider = "br-ex" }
}

task "ovn_sync" "overlay" {
  stage   = "network"
  host    = run.hosts[0]
  chassis = [for name, chassis in task.ovn_chassis.chassis : chassis.id]
  wait    = "3m"
}
