# A router for a network of guests.
stage "network" {}

task "ovn_router" "outside" {
  stage = "network"
  host  = run.hosts[0]
  name  = "outside"
}
