# Register a service once, and read a version in every run.
stage "runtime" {}

task "win_command" "register" {
  stage  = "runtime"
  hosts  = run.hosts
  argv   = ["C:/Program Files/containerd/containerd.exe", "--register-service"]
  unless = ["sc.exe", "query", "containerd"]
}

task "win_command" "version" {
  stage      = "runtime"
  hosts      = run.hosts
  argv       = ["C:/Program Files/containerd/containerd.exe", "--version"]
  read_only  = true
  depends_on = [task.win_command.register]
}

output "versions" {
  value = { for name, read in task.win_command.version : name => trimspace(read.stdout) }
}
