task "user" "deploy" {
  hosts  = run.hosts
  name   = "deploy"
  groups = ["adm"]
  shell  = "/bin/bash"
}

task "user" "metrics" {
  hosts  = run.hosts
  name   = "metrics"
  system = true
  home   = "/var/lib/metrics"
  shell  = "/usr/sbin/nologin"
}
