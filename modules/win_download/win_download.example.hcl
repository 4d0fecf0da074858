# The kubelet from a server on the hypervisor.
stage "node" {}

task "win_download" "kubelet" {
  stage  = "node"
  hosts  = run.hosts
  url    = "http://10.0.0.1:8080/kubernetes/v1.33.1/windows/kubelet.exe"
  sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
  dest   = "C:/k/kubelet.exe"
}
