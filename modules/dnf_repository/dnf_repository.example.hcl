# A repository of the distribution, by its list of mirrors.
stage "repositories" {}

task "dnf_repository" "epel" {
  stage       = "repositories"
  hosts       = run.hosts
  name        = "epel"
  description = "Extra packages for Enterprise Linux"
  metalink    = "https://mirrors.fedoraproject.org/metalink?repo=epel-9&arch=$basearch"
  gpg_keys    = ["file:///etc/pki/rpm-gpg/RPM-GPG-KEY-EPEL-9"]
}
