# What a user of the role may set.

variable "hosts" {
  type        = list(string)
  default     = null
  description = "The hosts that get the exporter; all selected ones when left out."
}

variable "version" {
  type        = string
  default     = "1.11.1"
  description = "The exporter's version, or latest."
}

variable "architectures" {
  type        = list(string)
  default     = ["amd64"]
  description = "The processors that the hosts have, in Go's names: an archive is fetched for each."
}

variable "releases_url" {
  type        = string
  default     = "https://github.com/prometheus/node_exporter/releases/download"
  description = "Where the releases are: URL/vVERSION/ARCHIVE, and sha256sums.txt beside it."
}

variable "latest_url" {
  type        = string
  default     = "https://api.github.com/repos/prometheus/node_exporter/releases/latest"
  description = "What says which release is the latest, in JSON."
}

variable "github_token" {
  type        = string
  default     = null
  sensitive   = true
  description = "A token for the site of the releases; none when left out."
}

variable "web_disable_exporter_metrics" {
  type        = bool
  default     = false
  description = "Whether metrics about the exporter itself are left out."
}

variable "web_listen_addresses" {
  type        = list(string)
  default     = ["0.0.0.0:9100"]
  description = "The addresses and ports that it listens at; more than one from version 1.5.0 on."
}

variable "web_telemetry_path" {
  type        = string
  default     = "/metrics"
  description = "The path of the metrics."
}

variable "log_level" {
  type        = string
  default     = "info"
  description = "debug, info, warn or error."
}

variable "log_format" {
  type        = string
  default     = "logfmt"
  description = "logfmt or json."
}

variable "textfile_dir" {
  type        = string
  default     = "/var/lib/node_exporter"
  description = "The folder of metrics that other programs write; none when empty."
}

variable "tls_server_config" {
  type = object({
    cert_file                   = optional(string)
    key_file                    = optional(string)
    client_auth_type            = optional(string)
    client_ca_file              = optional(string)
    client_allowed_sans         = optional(list(string))
    min_version                 = optional(string)
    max_version                 = optional(string)
    cipher_suites               = optional(list(string))
    prefer_server_cipher_suites = optional(bool)
    curve_preferences           = optional(list(string))
  })
  default     = {}
  description = "The section tls_server_config of the exporter's web configuration, with cert_file and key_file."
}

variable "http_server_config" {
  type = object({
    http2   = optional(bool)
    headers = optional(map(string))
  })
  default     = {}
  description = "Its section http_server_config."
}

variable "basic_auth_users" {
  type        = map(string)
  default     = {}
  sensitive   = true
  description = "The passwords of users who may read the metrics, by name; anybody may when empty."
}

variable "enabled_collectors" {
  type        = map(map(string))
  default     = null
  description = "Collectors that are on, each with its options; systemd and textfile when left out."
}

variable "disabled_collectors" {
  type        = list(string)
  default     = []
  description = "Collectors that are off."
}

variable "binary_install_dir" {
  type        = string
  default     = "/usr/local/bin"
  description = "The folder of the program."
}

variable "system_group" {
  type        = string
  default     = "node-exp"
  description = "The group that it runs as."
}

variable "system_user" {
  type        = string
  default     = null
  description = "The user that it runs as; the one with the group's name when left out."
}

variable "config_dir" {
  type        = string
  default     = "/etc/node_exporter"
  description = "The folder of its web configuration."
}

variable "local_cache_path" {
  type        = string
  default     = "/tmp/node_exporter"
  description = "The folder on the machine that kinit runs on for archives."
}
