# Brings the script of installation to the hosts that lack k3s or have an older version of it.

variable "k3s_version" {
  type        = string
  description = "The version of k3s that the hosts are to have."
}

variable "airgap_dir" {
  type        = string
  description = "The folder that the script and the program are from; they are downloaded without one."
}

variable "install_url" {
  type        = string
  description = "Where the script is from."
}

variable "install_sha256" {
  type        = string
  description = "The checksum of the script; it is not checked when null."
}

task "command" "version" {
  argv        = ["sh", "-c", "command -v k3s >/dev/null || exit 0; k3s --version"]
  read_only   = true
  failed_when = false
}

task "directory" "config" {
  path = "/etc/rancher/k3s"
  mode = "0755"
}

task "download" "script" {
  when       = local.download
  url        = var.install_url
  sha256     = var.install_sha256
  unverified = var.install_sha256 == null
  dest       = "/usr/local/bin/k3s-install.sh"
  owner      = "root"
  group      = "root"
  mode       = "0755"
}

locals {
  # What the program that is installed says of its version.
  installed_version = try(regex("v[0-9]\\S*", task.command.version[host.name].stdout), "")
  is_old = (
    local.installed_version == "" ||
    versioncompare(trimprefix(coalesce(local.installed_version, "v0"), "v"), trimprefix(var.k3s_version, "v")) < 0
  )
  download = var.airgap_dir == null && local.is_old
}

# Whether the script is to download the program.
output "download" {
  value = local.download
}
