# Hypervisors reach the southbound database with certificates.
stage "network" {}

task "ovn_central" "central" {
  stage       = "network"
  host        = run.hosts[0]
  sb_listen   = "pssl:6642"
  private_key = "/etc/kinit/pki/chassis.key"
  certificate = "/etc/kinit/pki/chassis.crt"
  ca_cert     = "/etc/kinit/pki/ca.crt"
}
