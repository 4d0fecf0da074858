task "group" "deploy" {
  hosts = run.hosts
  name  = "deploy"
}

task "group" "metrics" {
  hosts  = run.hosts
  name   = "metrics"
  gid    = 990
  system = true
}
