# Go on when the runtime runs and its pipe is there.
stage "runtime" {}

task "win_wait" "containerd" {
  stage   = "runtime"
  hosts   = run.hosts
  service = "containerd"
  within  = "2m"
}

task "win_wait" "pipe" {
  stage      = "runtime"
  hosts      = run.hosts
  script     = "Test-Path -Path '//./pipe/containerd-containerd'"
  depends_on = [task.win_wait.containerd]
}
