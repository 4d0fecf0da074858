# Remove the cluster's ports, bridges and settings.
stage "cleanup" {}

task "ovs_sweep" "owned" {
  stage = "cleanup"
  hosts = run.hosts
  all   = true
}
