# Which nodes have another version than they are to have, and whether they may get it.
stage "look" {}

task "kubectl_versions" "cluster" {
  stage   = "look"
  host    = run.hosts[0]
  version = "v1.35.1"
}

output "due" {
  value = task.kubectl_versions.cluster.due
}
