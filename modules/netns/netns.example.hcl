# A network namespace for a container.
stage "network" {}

task "netns" "web" {
  stage = "network"
  hosts = run.hosts
  name  = "kinit-web"
}
