# The hardware clock runs in UTC, and updates are not installed by themselves.
stage "node" {}

task "win_registry" "clock" {
  stage = "node"
  hosts = run.hosts
  key   = "HKLM/SYSTEM/CurrentControlSet/Control/TimeZoneInformation"
  name  = "RealTimeIsUniversal"
  type  = "dword"
  value = 1
}

task "win_registry" "updates" {
  stage = "node"
  hosts = run.hosts
  key   = "HKLM/SOFTWARE/Policies/Microsoft/Windows/WindowsUpdate/AU"
  name  = "NoAutoUpdate"
  type  = "dword"
  value = 1
}
