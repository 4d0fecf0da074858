# A network of guests. The first host runs ovn-central.
stage "network" {}

task "ovn_switch" "guests" {
  stage = "network"
  host  = run.hosts[0]
  name  = "guests"
}
