# The first node of a cluster.
stage "cluster" {}

task "kubeadm_config" "init" {
  stage                  = "cluster"
  host                   = run.hosts[0]
  path                   = "/etc/kubernetes/init.yaml"
  kind                   = "init"
  control_plane_endpoint = "api.example.org:6443"
  kubernetes_version     = "v1.34.4"
  pod_subnet             = "10.244.0.0/16"
}

task "kubeadm_init" "first" {
  stage   = "cluster"
  host    = run.hosts[0]
  config  = task.kubeadm_config.init.path
  timeout = "15m"
}
