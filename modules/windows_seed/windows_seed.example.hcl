# The seed gives a copy of a sealed Windows image its name and its keys.
stage "guests" {}

secret "administrator" {
  kind = "password"
  host = run.hosts[0]
  path = "/etc/site/windows-password"
}

block "guest" {
  stage = "guests"
  host  = run.hosts[0]

  task "x509_ca" "site" {
    key  = "/etc/site/ca.key"
    cert = "/etc/site/ca.crt"
    cn   = "site"
  }

  task "x509_certificate" "winrm" {
    key         = "/etc/site/win-01.key"
    cert        = "/etc/site/win-01.crt"
    ca_cert_pem = task.x509_ca.site.cert_pem
    ca_key_pem  = task.x509_ca.site.key_pem
    cn          = "win-01"
    dns_names   = ["win-01"]
    type        = "rsa"
  }

  task "windows_seed" "guest" {
    path            = "/var/lib/libvirt/images/win-01-seed.iso"
    hostname        = "win-01"
    password        = "Kn1-${secret.administrator}"
    certificate     = task.x509_certificate.winrm.cert_pem
    private_key     = task.x509_certificate.winrm.key_pem
    authorized_keys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGFh admin@example.org"]
  }
}
