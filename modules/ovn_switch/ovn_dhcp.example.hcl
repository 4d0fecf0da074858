# What guests of a network get by DHCP.
stage "network" {}

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
