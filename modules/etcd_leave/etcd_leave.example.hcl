# A member leaves an etcd that kubeadm made, before its machine is switched off.
stage "leave" {}

task "etcd_leave" "old" {
  stage   = "leave"
  host    = run.hosts[0]
  members = { controller-03 = "10.0.0.3" }
}
