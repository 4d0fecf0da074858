# The old programs for packet filters, for software that does not know nftables.
stage "network" {}

task "alternatives" "iptables" {
  stage = "network"
  hosts = run.hosts
  name  = "iptables"
  path  = "/usr/sbin/iptables-legacy"
}
