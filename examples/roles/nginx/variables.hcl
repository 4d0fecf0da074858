# What a user of the role may set. Values of one host are given as inputs of an import: they may
# refer to host.

variable "hosts" {
  type        = list(string)
  default     = null
  description = "The hosts that get nginx; all selected ones when left out."
}

variable "package_name" {
  type        = string
  default     = "nginx"
  description = "The package of nginx."
}

variable "default_release" {
  type        = string
  default     = null
  description = "The release that Debian and Ubuntu install the package from, such as bookworm-backports."
}

variable "upstream_repository" {
  type        = bool
  default     = true
  description = "Whether the families of Red Hat and SUSE use the repository of nginx.org."
}

variable "ppa" {
  type        = string
  default     = null
  description = "The archive of nginx on Launchpad that Ubuntu uses, stable or mainline; none when left out."
}

variable "ppa_key" {
  type        = string
  default     = null
  description = "The public key of that archive, in ASCII armour."
}

variable "user" {
  type        = string
  default     = null
  description = "The user of the worker processes; that of the distribution when left out."
}

variable "service_state" {
  type        = string
  default     = "started"
  description = "Whether nginx runs: started or stopped."
}

variable "service_enabled" {
  type        = bool
  default     = true
  description = "Whether nginx starts at boot."
}

variable "conf_template" {
  type        = string
  default     = null
  description = "The text of a template in place of the role's own nginx.conf; it sees the same values."
}

variable "vhost_template" {
  type        = string
  default     = null
  description = "The text of a template in place of the role's own for virtual hosts."
}

variable "worker_processes" {
  type        = string
  default     = null
  description = "How many worker processes there are; as many as processors when left out."
}

variable "worker_connections" {
  type        = number
  default     = 1024
  description = "How many connections a worker process has at most."
}

variable "multi_accept" {
  type        = string
  default     = "off"
  description = "Whether a worker process accepts all new connections at once: on or off."
}

variable "error_log" {
  type        = string
  default     = "/var/log/nginx/error.log warn"
  description = "The file and level of the error log."
}

variable "access_log" {
  type        = string
  default     = "/var/log/nginx/access.log main buffer=16k flush=2m"
  description = "The file, format and buffer of the access log."
}

variable "log_format" {
  type        = list(string)
  description = "The lines of the format main of access logs, each in quotes."
  default = [
    "'$remote_addr - $remote_user [$time_local] \"$request\" '",
    "'$status $body_bytes_sent \"$http_referer\" '",
    "'\"$http_user_agent\" \"$http_x_forwarded_for\"'",
  ]
}

variable "sendfile" {
  type        = string
  default     = "on"
  description = "nginx's directive of that name: on or off."
}

variable "tcp_nopush" {
  type        = string
  default     = "on"
  description = "nginx's directive of that name: on or off."
}

variable "tcp_nodelay" {
  type        = string
  default     = "on"
  description = "nginx's directive of that name: on or off."
}

variable "keepalive_timeout" {
  type        = string
  default     = "75"
  description = "How long an idle connection of a client stays open, in seconds."
}

variable "keepalive_requests" {
  type        = number
  default     = 600
  description = "How many requests one connection of a client may have."
}

variable "server_tokens" {
  type        = string
  default     = "on"
  description = "Whether answers name nginx's version: on or off."
}

variable "client_max_body_size" {
  type        = string
  default     = "64m"
  description = "The greatest size of a request's body."
}

variable "server_names_hash_bucket_size" {
  type        = number
  default     = 64
  description = "nginx's directive of that name, in bytes."
}

variable "proxy_cache_path" {
  type        = string
  default     = ""
  description = "nginx's directive of that name; none when empty."
}

variable "extra_conf_options" {
  type        = string
  default     = ""
  description = "Further directives of the main context."
}

variable "extra_http_options" {
  type        = string
  default     = ""
  description = "Further directives of the context http."
}

variable "remove_default_vhost" {
  type        = bool
  default     = false
  description = "Whether the virtual host that the package brings is removed."
}

variable "listen_ipv6" {
  type        = bool
  default     = true
  description = "Whether virtual hosts listen on IPv6 too."
}

variable "vhosts" {
  type = list(object({
    listen               = optional(string, "80")
    server_name          = optional(string)
    server_name_redirect = optional(string)
    root                 = optional(string)
    index                = optional(string, "index.html index.htm")
    filename             = optional(string)
    error_page           = optional(string)
    access_log           = optional(string)
    error_log            = optional(string)
    return               = optional(string)
    extra_parameters     = optional(string)
    template             = optional(string)
    state                = optional(string, "present")
  }))
  default = []
  description = fold(<<-EOT
    The virtual hosts, each with server_name or filename; with state = "absent" the file of one is removed. template
    is the text of a template for this one.
    EOT
  )
}

variable "upstreams" {
  type = list(object({
    name      = string
    strategy  = optional(string)
    keepalive = optional(number)
    servers   = list(string)
  }))
  default     = []
  description = "Groups of servers that virtual hosts may pass requests to."
}
