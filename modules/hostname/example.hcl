task "hostname" "self" {
  hosts = run.hosts
  name  = host.name
}
