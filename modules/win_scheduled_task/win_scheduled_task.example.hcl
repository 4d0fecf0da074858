# A program of the system that starts with the host and each night.
stage "node" {}

task "win_scheduled_task" "trim" {
  stage     = "node"
  hosts     = run.hosts
  name      = "kinit/trim"
  program   = "defrag.exe"
  arguments = ["C:", "/L"]
  startup   = true
  daily     = "03:30"
}
