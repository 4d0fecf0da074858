# The network on which flannel's overlay is made later: with it the adapter gets its
# switch at a time when nothing depends on the connection.
stage "node" {}

task "win_hns_network" "external" {
  stage   = "node"
  hosts   = run.hosts
  name    = "External"
  type    = "overlay"
  subnet  = "192.168.255.0/30"
  vni     = 9999
  adapter = "Ethernet"
}
