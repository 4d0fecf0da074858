# A pod whose containers share a port of the host.
stage "containers" {}

task "podman_pod" "app" {
  stage    = "containers"
  hosts    = run.hosts
  name     = "app"
  hostname = "app"
  publish  = ["8080:80"]
}
