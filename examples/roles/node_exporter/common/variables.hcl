variable "hosts" {
  type        = list(string)
  description = "The hosts."
}

variable "facts" {
  description = "Those of the host, as the module facts returns them."
}

variable "service" {
  type        = string
  description = "The exporter's service."
}

variable "unit" {
  type        = string
  description = "The template of its unit."
}

variable "unit_values" {
  description = "What that template sees."
}

variable "system_user" {
  type        = string
  description = "The user that it runs as."
}

variable "system_group" {
  type        = string
  description = "The group that it runs as."
}

variable "config_dir" {
  type        = string
  description = "The folder of its configuration; none when empty."
}

variable "architectures" {
  type        = list(string)
  description = "The processors that hosts have, in Go's names."
}

variable "archives" {
  description = "The archive for each of them, by its URL."
}

variable "checksums_url" {
  description = "The list of the archives' checksums."
}

variable "headers" {
  description = "The headers of requests for both."
}

variable "binaries" {
  type        = list(string)
  description = "The programs of the archive to install."
}

variable "binary_install_dir" {
  type        = string
  description = "The folder that gets them."
}

variable "local_cache_path" {
  description = "The folder on the machine that kinit runs on for archives."
}

variable "web_listen_addresses" {
  type        = list(string)
  description = "The addresses and ports that it listens at."
}

variable "tls_server_config" {
  description = "The section of that name of the web configuration."
}

variable "http_server_config" {
  description = "The section of that name of the web configuration."
}

variable "basic_auth_users" {
  type        = map(string)
  sensitive   = true
  description = "Passwords of users by name."
}
