# Remove what the cluster has in OVN but for one network.
stage "cleanup" {}

task "ovn_sweep" "owned" {
  stage = "cleanup"
  host  = run.hosts[0]
  keep  = ["guests"]
}
