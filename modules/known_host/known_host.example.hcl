# Machines that the hosts log in to.
stage "trust" {}

task "known_host" "git" {
  stage = "trust"
  hosts = run.hosts
  name  = "git.example"
  key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg"
}

task "known_host" "backup" {
  stage  = "trust"
  hosts  = run.hosts
  name   = "192.0.2.7"
  port   = 2222
  key    = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg"
  hashed = true
}
