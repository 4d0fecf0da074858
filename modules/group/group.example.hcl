# Groups, one of them with the number that a file server expects.
stage "accounts" {}

task "group" "deploy" {
  stage = "accounts"
  hosts = run.hosts
  name  = "deploy"
}

task "group" "metrics" {
  stage  = "accounts"
  hosts  = run.hosts
  name   = "metrics"
  gid    = 990
  system = true
}
