# A node gets no more pods, and its pods move to other nodes, before it is switched off.
stage "leave" {}

task "kubectl_drain" "old" {
  stage  = "leave"
  host   = run.hosts[0]
  node   = "worker-07"
  within = "5m"
}
