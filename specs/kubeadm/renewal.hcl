# renewal: the certificates that kubeadm has made for a year. Each run renews them in the last 30 days,
# and "kinit certs --renew" whenever it is asked to, one controller after the other.

block "renewal" {
  stage  = "computes"
  hosts  = [for n in local.controllers : n.name]
  serial = 1

  task "kubeadm_certs" "renewal" {
    now        = run.renew
    wait       = var.cluster_timeout
    timeout    = var.cluster_timeout
    depends_on = [task.kubeadm_init.first, task.kubeadm_join.controller]
  }
}
