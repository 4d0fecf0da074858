# Guests go out with the address of their router.
stage "network" {}

task "ovn_router" "outside" {
  stage = "network"
  host  = run.hosts[0]
  name  = "outside"
}

task "ovn_nat" "guests" {
  stage       = "network"
  host        = run.hosts[0]
  router      = task.ovn_router.outside.name
  type        = "snat"
  external_ip = "172.16.0.10"
  logical_ip  = "10.0.0.0/24"
}
