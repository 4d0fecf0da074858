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

# A program that runs all the time, and is back a minute after it failed.
task "win_scheduled_task" "agent" {
  stage     = "node"
  hosts     = run.hosts
  name      = "shop/agent"
  program   = "C:/shop/agent.exe"
  arguments = ["--config=C:/shop/agent.json"]
  startup   = true
  every     = "1m"
}
