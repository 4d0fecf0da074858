# A server that answers, a file that says so, and a process that is gone.
stage "wait" {}

task "wait" "ssh" {
  stage   = "wait"
  hosts   = run.hosts
  address = "192.0.2.10"
  port    = 22
  banner  = "SSH-"
}

task "wait" "health" {
  stage    = "wait"
  hosts    = run.hosts
  url      = "http://127.0.0.1:8080/health"
  expect   = "\"status\": *\"up\""
  within   = "2m"
  evidence = [["journalctl", "--unit=app", "--lines=20", "--no-pager"]]
}

task "wait" "boot" {
  stage  = "wait"
  hosts  = run.hosts
  path   = "/run/app/status"
  expect = "^ready$"
}

task "wait" "migration" {
  stage = "wait"
  hosts = run.hosts
  argv  = ["pgrep", "--exact", "migrate"]
  gone  = true
}

# A guest that answers; if it stops as it boots, it is reset once.
task "wait" "guest" {
  stage   = "wait"
  hosts   = run.hosts
  address = "192.0.2.20"
  port    = 22

  watchdog {
    file    = "/var/log/libvirt/qemu/web-serial.log"
    silence = "2m"
    stuck   = "timer wakeup didn't happen"
    argv    = ["virsh", "--connect", "qemu:///system", "reset", "web"]
  }
}
