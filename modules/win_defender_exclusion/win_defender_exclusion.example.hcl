# Unpacking images is much quicker without scans.
stage "runtime" {}

task "win_defender_exclusion" "containerd" {
  stage     = "runtime"
  hosts     = run.hosts
  paths     = ["C:/ProgramData/containerd"]
  processes = ["containerd.exe", "ctr.exe"]
}
