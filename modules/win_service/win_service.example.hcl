# The kubelet as a service of our own, which follows its configuration.
stage "node" {}

task "win_template" "kubelet" {
  stage    = "node"
  hosts    = run.hosts
  dest     = "C:/var/lib/kubelet/config.yaml"
  template = "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\nclusterDomain: $${domain}\n"
  vars     = { domain = "cluster.local" }
}

task "win_service" "kubelet" {
  stage         = "node"
  hosts         = run.hosts
  name          = "kubelet"
  path          = "C:/k/kubelet.exe"
  arguments     = ["--windows-service", "--config=C:/var/lib/kubelet/config.yaml"]
  start         = "delayed-auto"
  dependencies  = ["containerd"]
  restart_after = ["10s", "30s"]
  restart_on    = [task.win_template.kubelet[each.key].sha256]
  state         = "started"
}
