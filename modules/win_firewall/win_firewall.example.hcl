# The kubelet may be reached from the cluster's nodes.
stage "node" {}

task "win_firewall" "kubelet" {
  stage            = "node"
  hosts            = run.hosts
  name             = "kinit-kubelet"
  display_name     = "Kubelet"
  protocol         = "tcp"
  local_ports      = ["10250"]
  remote_addresses = ["10.0.0.0/8"]
}
