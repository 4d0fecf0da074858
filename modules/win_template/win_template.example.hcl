# A configuration that depends on the host.
stage "node" {}

task "win_template" "crictl" {
  stage    = "node"
  hosts    = run.hosts
  dest     = "C:/k/crictl.yaml"
  template = <<-EOT
    runtime-endpoint: npipe:////./pipe/$${pipe}
    timeout: $${seconds}
  EOT
  vars = {
    pipe    = "containerd-containerd"
    seconds = 30
  }
}
