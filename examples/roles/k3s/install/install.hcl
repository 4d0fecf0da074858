# Runs the script of installation, and writes the environment of the service.

variable "environment" {
  type        = map(string)
  description = "The environment of the script."
}

variable "checksum" {
  type        = string
  description = "The checksum of the inputs of the script: it runs again for another one."
}

variable "download" {
  type        = bool
  description = "Whether the script downloads the program."
}

variable "service_env" {
  type        = string
  description = "The file with the environment of the service."
}

variable "service_envs" {
  type        = string
  description = "Further lines NAME=VALUE of this file."
}

# The script, with a note of what it was called with. It writes the unit too, so it runs again for other inputs.
locals {
  install   = "/usr/local/bin/k3s-install.sh && printf '%s\\n' \"$1\" >\"$2\""
  installed = "/etc/rancher/k3s/installed"
}

task "command" "install" {
  argv        = ["sh", "-c", local.install, "install", var.checksum, local.installed]
  unless      = ["grep", "-qx", var.checksum, local.installed]
  environment = merge(var.environment, { INSTALL_K3S_SKIP_DOWNLOAD = var.download ? "false" : "true" })
}

# A block of the file: systemd reads nothing of its marks, which are comments.
task "block_in_file" "service_env" {
  when       = var.service_envs != ""
  path       = var.service_env
  block      = var.service_envs
  create     = true
  mode       = "0600"
  depends_on = [task.command.install]
}

output "changed" {
  value = task.command.install[host.name].changed
}
