# Hosts that call themselves as the inventory does.
stage "names" {}

task "hostname" "self" {
  stage = "names"
  hosts = run.hosts
  name  = host.name
}
