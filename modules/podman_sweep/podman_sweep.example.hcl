# Remove the cluster's containers but for one.
stage "cleanup" {}

task "podman_sweep" "owned" {
  stage = "cleanup"
  hosts = run.hosts
  keep  = ["web", "localhost/web:1"]
}
