# An authority of a host's own, for what talks to itself.
stage "keys" {}

task "directory" "pki" {
  stage = "keys"
  hosts = run.hosts
  path  = "/etc/app/pki"
  mode  = "0700"
}

task "x509_ca" "own" {
  stage      = "keys"
  hosts      = run.hosts
  key        = "/etc/app/pki/ca.key"
  cert       = "/etc/app/pki/ca.crt"
  cn         = "authority of ${host.name}"
  depends_on = [task.directory.pki]
}
