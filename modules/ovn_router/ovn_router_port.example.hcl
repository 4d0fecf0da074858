# The gateway of a network of guests.
stage "network" {}

task "ovn_router" "outside" {
  stage = "network"
  host  = run.hosts[0]
  name  = "outside"
}

task "ovn_switch" "guests" {
  stage = "network"
  host  = run.hosts[0]
  name  = "guests"
}

task "ovn_router_port" "guests" {
  stage    = "network"
  host     = run.hosts[0]
  router   = task.ovn_router.outside.name
  switch   = task.ovn_switch.guests.name
  mac      = "52:54:00:00:00:01"
  networks = ["10.0.0.1/24"]
}
