# Backports of Debian, and a vendor with a key of its own.
stage "repositories" {}

task "apt_repository" "backports" {
  stage      = "repositories"
  hosts      = run.hosts
  name       = "backports"
  uris       = ["https://deb.debian.org/debian"]
  suites     = ["bookworm-backports"]
  components = ["main"]
  signed_by  = "/usr/share/keyrings/debian-archive-keyring.gpg"
}

task "apt_repository" "vendor" {
  stage  = "repositories"
  hosts  = run.hosts
  name   = "vendor"
  uris   = ["https://packages.example/deb"]
  suites = ["./"]
  key    = <<-EOT
    -----BEGIN PGP PUBLIC KEY BLOCK-----

    mDMEZhqXHBYJKwYBBAHaRw8BAQdAexamplekeyexamplekeyexamplekey
    -----END PGP PUBLIC KEY BLOCK-----
  EOT
}
