# A route that is made once, with its values as arguments.
stage "network" {}

task "win_powershell" "route" {
  stage = "network"
  hosts = run.hosts
  arguments = {
    prefix  = "10.96.0.0/12"
    gateway = "10.0.0.1"
  }
  unless = <<-EOT
    if (-not (Get-NetRoute -DestinationPrefix $Arguments.prefix -ErrorAction SilentlyContinue)) {
        exit 1
    }
  EOT
  script = <<-EOT
    $adapter = Get-NetAdapter -Physical | Select-Object -First 1
    New-NetRoute -DestinationPrefix $Arguments.prefix -NextHop $Arguments.gateway -InterfaceIndex $adapter.InterfaceIndex
  EOT
}
