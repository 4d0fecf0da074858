# One authority, on the first host, and a certificate for each.
stage "keys" {}

task "directory" "pki" {
  stage = "keys"
  hosts = run.hosts
  path  = "/etc/app/pki"
  mode  = "0700"
}

task "x509_ca" "all" {
  stage      = "keys"
  host       = run.hosts[0]
  key        = "/etc/app/pki/ca.key"
  cert       = "/etc/app/pki/ca.crt"
  cn         = "authority of the application"
  depends_on = [task.directory.pki]
}

task "x509_certificate" "server" {
  stage        = "keys"
  hosts        = run.hosts
  key          = "/etc/app/pki/server.key"
  cert         = "/etc/app/pki/server.crt"
  ca_cert_pem  = task.x509_ca.all.cert_pem
  ca_key_pem   = task.x509_ca.all.key_pem
  cn           = host.name
  dns_names    = [host.name, "localhost"]
  renew_before = "720h"
  depends_on   = [task.directory.pki]
}
