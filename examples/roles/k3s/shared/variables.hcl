# What a user of the playbooks may set. All of them have the same variables.

variable "server_group" {
  type        = string
  default     = "server"
  description = "The group of the hosts that are servers; the first one begins the cluster."
}

variable "agent_group" {
  type        = string
  default     = "agent"
  description = "The group of the hosts that are agents."
}

variable "k3s_version" {
  type        = string
  description = "The version of k3s, such as v1.31.12+k3s1."
}

variable "token" {
  type        = string
  default     = null
  sensitive   = true
  description = "What servers and agents join by, at least 16 letters; the first server's own when left out."
}

variable "api_endpoint" {
  type        = string
  default     = null
  description = "The name or address of the API for agents and users; the first server's address when left out."
}

variable "api_port" {
  type        = number
  default     = 6443
  description = "The port of the API."
}

variable "install_url" {
  type        = string
  default     = "https://get.k3s.io/"
  description = "Where the hosts get k3s' script of installation."
}

variable "install_sha256" {
  type        = string
  default     = null
  description = "The checksum of this script; it is not checked when left out."
}

variable "extra_server_args" {
  type        = string
  default     = ""
  description = "Further arguments of servers."
}

variable "extra_agent_args" {
  type        = string
  default     = ""
  description = "Further arguments of agents."
}

variable "extra_install_envs" {
  type        = map(string)
  default     = {}
  description = "Further variables of the script of installation."
}

variable "extra_service_envs" {
  type        = list(string)
  default     = []
  description = "Lines NAME=VALUE for the environment of the services."
}

variable "server_config_yaml" {
  type        = string
  default     = ""
  description = "Settings of servers in YAML, which have priority over what the role sets."
}

variable "agent_config_yaml" {
  type        = string
  default     = ""
  description = "Settings of agents in YAML."
}

variable "registries_config_yaml" {
  type        = string
  default     = ""
  description = "Settings of registries of images in YAML."
}

variable "extra_manifests" {
  type        = list(string)
  default     = []
  description = "Files of manifests on the machine that kinit runs on, which servers apply."
}

variable "airgap_dir" {
  type    = string
  default = null
  description = fold(<<-EOT
    A folder on the machine that kinit runs on with the script of installation, the program, images and packages, for
    hosts without the internet.
    EOT
  )
}

variable "k3s_server_location" {
  type        = string
  default     = "/var/lib/rancher/k3s"
  description = "The folder of k3s' data."
}

variable "systemd_dir" {
  type        = string
  default     = "/etc/systemd/system"
  description = "The folder of the units that the script makes."
}

variable "user" {
  type        = string
  default     = "root"
  description = "The user of the hosts who gets kubectl."
}

variable "user_kubectl" {
  type        = bool
  default     = true
  description = "Whether this user gets it."
}

variable "kubeconfig" {
  type    = string
  default = "~/.kube/config.new"
  description = fold(<<-EOT
    The file on the machine that kinit runs on for access to the cluster. The default is also merged into
    ~/.kube/config, where kubectl is installed.
    EOT
  )
}

variable "cluster_context" {
  type        = string
  default     = "k3s-ansible"
  description = "The name of the cluster in that file."
}

variable "use_external_database" {
  type        = bool
  default     = false
  description = "Whether servers keep their state in a database elsewhere."
}

variable "manage_firewall" {
  type        = bool
  default     = true
  description = "Whether active firewalls are opened for k3s."
}
