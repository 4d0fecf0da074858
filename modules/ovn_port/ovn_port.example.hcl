# The port of a guest, with an address by DHCP.
stage "network" {}

task "ovn_switch" "guests" {
  stage = "network"
  host  = run.hosts[0]
  name  = "guests"
}

task "ovn_dhcp" "guests" {
  stage       = "network"
  host        = run.hosts[0]
  name        = "guests"
  cidr        = "10.0.0.0/24"
  router      = "10.0.0.1"
  server_mac  = "52:54:00:00:00:01"
  mtu         = 1442
  dns_servers = ["10.0.0.253"]
}

task "ovn_port" "guest" {
  stage  = "network"
  host   = run.hosts[0]
  name   = "guest"
  switch = task.ovn_switch.guests.name
  mac    = "52:54:00:12:34:56"
  ip     = "10.0.0.10"
  dhcp   = task.ovn_dhcp.guests.name
}
