# What a user of the role may set.

variable "hosts" {
  type        = list(string)
  default     = null
  description = "The hosts that get Docker; all selected ones when left out."
}

variable "edition" {
  type        = string
  default     = "ce"
  description = "ce or ee."
}

variable "packages" {
  type    = list(string)
  default = null
  description = fold(<<-EOT
    Docker's packages; those of the edition, or of the system, when left out. NAME=VERSION chooses a version, an older
    one too.
    EOT
  )
}

variable "packages_state" {
  type        = string
  default     = "present"
  description = "present or latest."
}

variable "obsolete_packages" {
  type        = list(string)
  default     = null
  description = "Packages that must not be there; those that the system's own Docker consists of when left out."
}

variable "service_manage" {
  type        = bool
  default     = true
  description = "Whether the role starts and restarts Docker."
}

variable "service_state" {
  type        = string
  default     = "started"
  description = "started or stopped."
}

variable "service_enabled" {
  type        = bool
  default     = true
  description = "Whether Docker starts at boot."
}

variable "service_start_command" {
  type        = string
  default     = ""
  description = "The command that starts Docker; that of the package when empty."
}

variable "restart_handler_state" {
  type        = string
  default     = "restarted"
  description = "What a change of the configuration does to Docker: restarted or reloaded."
}

variable "install_compose_plugin" {
  type        = bool
  default     = true
  description = "Whether the plug-in Compose is installed."
}

variable "compose_package" {
  type        = string
  default     = null
  description = "The package of the plug-in; that of the system when left out."
}

variable "compose_package_state" {
  type        = string
  default     = "present"
  description = "present, latest or absent."
}

variable "install_compose" {
  type        = bool
  default     = false
  description = "Whether the program docker-compose is installed."
}

variable "compose_version" {
  type        = string
  default     = "v2.32.1"
  description = "The version of the program."
}

variable "compose_url" {
  type        = string
  default     = "https://github.com/docker/compose/releases/download"
  description = "Where the releases of the program are: URL/VERSION/docker-compose-linux-MACHINE."
}

variable "compose_path" {
  type        = string
  default     = "/usr/local/bin/docker-compose"
  description = "The path of the program."
}

variable "add_repository" {
  type    = bool
  default = true
  description = fold(<<-EOT
    Whether packages are from Docker's repository. If not, its settings are removed on Debian and its relatives.
    EOT
  )
}

variable "repository_url" {
  type        = string
  default     = "https://download.docker.com/linux"
  description = "Where Docker's repositories are."
}

variable "repository_key" {
  type    = string
  default = null
  description = fold(<<-EOT
    The public key of the repository, in ASCII armour; the hosts fetch it from the repository when left out.
    EOT
  )
}

variable "apt_release_channel" {
  type        = string
  default     = "stable"
  description = "stable, test or nightly."
}

variable "apt_distribution" {
  type        = string
  default     = null
  description = "The folder of the repository on Debian and its relatives; by the system when left out."
}

variable "apt_filename" {
  type        = string
  default     = "docker"
  description = "The name of the file in /etc/apt/sources.list.d, without its ending."
}

variable "yum_enable_test" {
  type        = bool
  default     = false
  description = "Whether the repository of test releases is on."
}

variable "users" {
  type        = list(string)
  default     = []
  description = "Users who join the group docker."
}

variable "daemon_options" {
  type        = any
  default     = {}
  description = "The settings of /etc/docker/daemon.json; by --var as JSON."
}
