# The way out of a router.
stage "network" {}

task "ovn_router" "outside" {
  stage = "network"
  host  = run.hosts[0]
  name  = "outside"
}

task "ovn_route" "default" {
  stage   = "network"
  host    = run.hosts[0]
  router  = task.ovn_router.outside.name
  prefix  = "0.0.0.0/0"
  nexthop = "172.16.0.254"
}
