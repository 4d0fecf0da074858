# A host that routes.
stage "kernel" {}

task "sysctl" "forward" {
  stage = "kernel"
  hosts = run.hosts
  name  = "net.ipv4.ip_forward"
  value = "1"
}
