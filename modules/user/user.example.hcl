# Somebody who logs in, and one that a service works as.
stage "accounts" {}

task "user" "deploy" {
  stage  = "accounts"
  hosts  = run.hosts
  name   = "deploy"
  groups = ["adm"]
  shell  = "/bin/bash"
}

task "user" "metrics" {
  stage  = "accounts"
  hosts  = run.hosts
  name   = "metrics"
  system = true
  home   = "/var/lib/metrics"
  shell  = "/usr/sbin/nologin"
}
