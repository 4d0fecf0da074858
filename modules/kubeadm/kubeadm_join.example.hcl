# All other hosts are workers of a cluster that is there.
variable "token" {
  type      = string
  default   = "abcdef.0123456789abcdef"
  sensitive = true
}

stage "cluster" {}

task "kubeadm_config" "join" {
  stage                  = "cluster"
  hosts                  = run.hosts
  path                   = "/etc/kubernetes/join.yaml"
  kind                   = "join"
  control_plane_endpoint = "api.example.org:6443"
  token                  = var.token
  ca_cert_hash           = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
}

task "kubeadm_join" "worker" {
  stage   = "cluster"
  hosts   = run.hosts
  config  = task.kubeadm_config.join[host.name].path
  timeout = "15m"
}
