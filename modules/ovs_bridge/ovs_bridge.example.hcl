# A bridge with an address of the host.
stage "network" {}

task "ovs_bridge" "external" {
  stage     = "network"
  hosts     = run.hosts
  name      = "br-ex"
  addresses = ["172.16.0.254/24"]
}
