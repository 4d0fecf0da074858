# Data that outlives its container.
stage "containers" {}

task "podman_volume" "data" {
  stage = "containers"
  hosts = run.hosts
  name  = "data"
}
