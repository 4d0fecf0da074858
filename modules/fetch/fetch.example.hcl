# The credentials of an administrator, and logs of each host if there are any, on the machine
# that kinit runs on.
stage "collect" {}

task "fetch" "kubeconfig" {
  stage    = "collect"
  hosts    = run.hosts
  run_once = true
  source   = "/etc/rancher/k3s/k3s.yaml"
  dest     = "~/.kube/k3s.yaml"
}

task "fetch" "log" {
  stage    = "collect"
  hosts    = run.hosts
  source   = "/var/log/app/install.log"
  dest     = "logs/${host.name}/install.log"
  mode     = "0644"
  optional = true
}
