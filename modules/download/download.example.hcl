# A file with a known checksum, and one whose checksum is published beside it.
stage "files" {}

task "download" "tool" {
  stage  = "files"
  hosts  = run.hosts
  url    = "https://example.org/tool/1.2.3/tool"
  dest   = "/usr/local/bin/tool"
  sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
  mode   = "0755"
}

task "download" "image" {
  stage      = "files"
  hosts      = run.hosts
  url        = "https://example.org/images/base.qcow2"
  sha512_url = "https://example.org/images/SHA512SUMS"
  dest       = "/var/lib/libvirt/images/base.qcow2"
  pin        = true
  keep       = true
  timeout    = "60m"
}
