# Who may log in, and a key that may do one thing only.
stage "access" {}

task "authorized_key" "ann" {
  stage = "access"
  hosts = run.hosts
  user  = "root"
  key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg ann@example"
}

task "authorized_key" "backup" {
  stage   = "access"
  hosts   = run.hosts
  user    = "backup"
  key     = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg ann@example"
  options = ["restrict", "command=\"/usr/local/bin/backup\""]
}
