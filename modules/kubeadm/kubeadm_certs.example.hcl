# The certificates of all controllers are renewed before they end, one controller after the other.
stage "certificates" {}

block "certificates" {
  stage  = "certificates"
  hosts  = run.hosts
  serial = 1

  task "kubeadm_certs" "controller" {
    renew_before = "720h"
    timeout      = "15m"
  }
}
