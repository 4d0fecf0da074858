# Programs of the node are found by name, and one knows its configuration.
stage "node" {}

task "win_env" "path" {
  stage    = "node"
  hosts    = run.hosts
  name     = "Path"
  elements = ["C:/k", "C:/Program Files/containerd"]
}

task "win_env" "kubeconfig" {
  stage = "node"
  hosts = run.hosts
  name  = "KUBECONFIG"
  value = "C:\\etc\\kubernetes\\kubelet.conf"
}
