# A network whose containers find each other by name.
stage "containers" {}

task "podman_network" "app" {
  stage  = "containers"
  hosts  = run.hosts
  name   = "app"
  subnet = "10.89.3.0/24"
}
