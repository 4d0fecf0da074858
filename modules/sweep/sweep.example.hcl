# Undo what the cluster has on the hosts but for its data.
stage "cleanup" {}

task "sweep" "owned" {
  stage = "cleanup"
  hosts = run.hosts
  keep  = ["/srv/data"]
}
