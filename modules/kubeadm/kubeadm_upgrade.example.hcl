# Controllers get another version of Kubernetes, one after the other. Its programs are on them already.
stage "upgrade" {}

block "controllers" {
  stage  = "upgrade"
  hosts  = run.hosts
  serial = 1

  task "kubeadm_upgrade" "controller" {
    version  = "v1.35.1"
    programs = "/usr/local/lib/kubernetes/v1.35.1"
    first    = host.name == run.hosts[0]
    wait     = "10m"
    timeout  = "40m"
  }
}
