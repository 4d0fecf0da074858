# A disk, and a folder in memory.
stage "storage" {}

task "mount" "data" {
  stage   = "storage"
  hosts   = run.hosts
  path    = "/srv/data"
  source  = "UUID=2f8b1c0e-6a51-4d0c-9e83-5f1f3c5f0b11"
  fstype  = "ext4"
  options = ["noatime", "nofail"]
  pass    = 2
}

task "mount" "scratch" {
  stage   = "storage"
  hosts   = run.hosts
  path    = "/srv/scratch"
  source  = "tmpfs"
  fstype  = "tmpfs"
  options = ["size=64m", "nosuid", "nodev"]
}
