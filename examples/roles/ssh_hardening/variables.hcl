# What a user of the role may set.

variable "hosts" {
  type        = list(string)
  default     = null
  description = "The hosts that are hardened; all selected ones when left out."
}

variable "enabled" {
  type        = bool
  default     = true
  description = "Whether the role does anything."
}

variable "ipv6" {
  type        = bool
  default     = true
  description = "Whether client and server use IPv6."
}

variable "client_config_file" {
  type        = string
  default     = "/etc/ssh/ssh_config"
  description = "The client's file."
}

variable "server_config_file" {
  type        = string
  default     = "/etc/ssh/sshd_config"
  description = "The server's file."
}

variable "client_hardening" {
  type        = bool
  default     = true
  description = "Whether the client's file is written."
}

variable "server_hardening" {
  type        = bool
  default     = true
  description = "Whether the server's files are written."
}

variable "server_enabled" {
  type        = bool
  default     = true
  description = "Whether the server runs."
}

variable "server_service_enabled" {
  type        = bool
  default     = true
  description = "Whether the server starts at boot."
}

variable "use_dns" {
  type        = bool
  default     = false
  description = "Whether the server looks up the names of clients."
}

variable "client_compression" {
  type        = bool
  default     = false
  description = "Whether the client compresses."
}

variable "compression" {
  type        = bool
  default     = false
  description = "Whether the server compresses."
}

variable "client_password_login" {
  type        = bool
  default     = false
  description = "Whether the client offers passwords."
}

variable "server_password_login" {
  type        = bool
  default     = false
  description = "Whether the server takes passwords."
}

variable "server_ports" {
  type        = list(string)
  default     = ["22"]
  description = "The ports that the server listens at."
}

variable "client_port" {
  type        = string
  default     = "22"
  description = "The port that the client connects to."
}

variable "listen_to" {
  type        = list(string)
  default     = ["0.0.0.0"]
  description = "The addresses that the server listens at."
}

variable "host_rsa_key_size" {
  type        = number
  default     = 4096
  description = "The bits of the server's RSA key; another one is replaced."
}

variable "host_key_files" {
  type        = list(string)
  default     = null
  description = "The server's keys; by OpenSSH's version when left out."
}

variable "host_certificates" {
  type        = list(string)
  default     = []
  description = "The certificates of the server's keys."
}

variable "host_key_algorithms" {
  type        = list(string)
  default     = []
  description = "The algorithms of host keys that the server offers; OpenSSH's own when empty."
}

variable "client_host_key_algorithms" {
  type        = list(string)
  default     = []
  description = "Those that the client takes, best first."
}

variable "macs" {
  type        = list(string)
  default     = null
  description = "The message authentication codes; by OpenSSH's version when left out."
}

variable "ciphers" {
  type        = list(string)
  default     = null
  description = "The ciphers; by OpenSSH's version when left out."
}

variable "kex" {
  type        = list(string)
  default     = null
  description = "The key exchanges; by OpenSSH's version when left out."
}

variable "login_grace_time" {
  type        = string
  default     = "30s"
  description = "How long a client may take to log in."
}

variable "max_auth_retries" {
  type        = number
  default     = 2
  description = "How many attempts a connection has."
}

variable "max_sessions" {
  type        = number
  default     = 10
  description = "How many sessions a connection has."
}

variable "max_startups" {
  type        = string
  default     = "10:30:60"
  description = "How many connections without a login may be open."
}

variable "client_alive_interval" {
  type        = number
  default     = 300
  description = "After how many idle seconds the server asks a client whether it is there."
}

variable "client_alive_count" {
  type        = number
  default     = 3
  description = "How many such questions stay without an answer before the connection ends."
}

variable "permit_tunnel" {
  type        = string
  default     = "no"
  description = "The server's PermitTunnel."
}

variable "remote_hosts" {
  type        = list(object({ names = list(string), options = list(string) }))
  default     = []
  description = "Options of the client for some servers."
}

variable "permit_root_login" {
  type        = string
  default     = "no"
  description = "The server's PermitRootLogin."
}

variable "allow_tcp_forwarding" {
  type        = string
  default     = "no"
  description = "The server's AllowTcpForwarding: yes, no, local, all or remote."
}

variable "gateway_ports" {
  type        = string
  default     = "no"
  description = "The server's GatewayPorts: yes, no or clientspecified."
}

variable "allow_agent_forwarding" {
  type        = bool
  default     = false
  description = "Whether the server forwards agents."
}

variable "forward_agent" {
  type        = string
  default     = "no"
  description = "The client's ForwardAgent."
}

variable "x11_forwarding" {
  type        = bool
  default     = false
  description = "Whether the server forwards X11."
}

variable "use_pam" {
  type        = bool
  default     = true
  description = "Whether the server uses PAM."
}

variable "pubkey_authentication" {
  type        = bool
  default     = true
  description = "Whether the server takes public keys."
}

variable "authentication_methods" {
  type        = string
  default     = "publickey"
  description = "The server's AuthenticationMethods."
}

variable "challenge_response" {
  type        = bool
  default     = false
  description = "Whether the server takes answers typed at a keyboard."
}

variable "gssapi" {
  type        = bool
  default     = false
  description = "Whether client and server use GSSAPI."
}

variable "gssapi_delegation" {
  type        = bool
  default     = false
  description = "Whether the client hands its GSSAPI credentials on."
}

variable "deny_users" {
  type        = string
  default     = ""
  description = "The server's DenyUsers; none when empty."
}

variable "allow_users" {
  type        = string
  default     = ""
  description = "The server's AllowUsers; none when empty."
}

variable "deny_groups" {
  type        = string
  default     = ""
  description = "The server's DenyGroups; none when empty."
}

variable "allow_groups" {
  type        = string
  default     = ""
  description = "The server's AllowGroups; none when empty."
}

variable "authorized_keys_file" {
  type        = string
  default     = ""
  description = "The server's AuthorizedKeysFile; OpenSSH's own when empty."
}

variable "trusted_user_ca_keys_file" {
  type        = string
  default     = ""
  description = "The file of the authorities that sign users' certificates; none when empty."
}

variable "trusted_user_ca_keys" {
  type        = list(string)
  default     = []
  description = "The public keys of these authorities."
}

variable "authorized_principals_file" {
  type        = string
  default     = ""
  description = "The server's AuthorizedPrincipalsFile, such as /etc/ssh/auth_principals/%u; none when empty."
}

variable "authorized_principals" {
  type = list(object({
    path           = string
    principals     = list(string)
    filemode       = optional(string, "0600")
    owner          = optional(string)
    group          = optional(string)
    directorymode  = optional(string, "0700")
    directoryowner = optional(string)
    directorygroup = optional(string)
  }))
  default     = []
  description = "Files of principals that may log in."
}

variable "print_motd" {
  type        = bool
  default     = false
  description = "Whether the server shows /etc/motd."
}

variable "print_pam_motd" {
  type        = bool
  default     = false
  description = "Whether PAM shows the message of the day."
}

variable "print_last_log" {
  type        = bool
  default     = false
  description = "Whether the server shows the last login."
}

variable "banner" {
  type        = string
  default     = "none"
  description = "The file that the server shows before a login."
}

variable "print_debian_banner" {
  type        = bool
  default     = false
  description = "Whether Debian's server says its package version."
}

variable "sftp_enabled" {
  type        = bool
  default     = true
  description = "Whether the server has SFTP."
}

variable "sftp_chroot" {
  type        = bool
  default     = true
  description = "Whether users of the group sftponly see their folder alone."
}

variable "sftp_umask" {
  type        = string
  default     = "0027"
  description = "The umask of SFTP."
}

variable "sftp_chroot_dir" {
  type        = string
  default     = "/home/%u"
  description = "The folder that they see."
}

variable "matches" {
  type    = list(object({ criteria = string, rules = list(string) }))
  default = []
  description = fold(<<-EOT
    Match blocks of the server, such as { criteria = "User backup", rules = ["ForceCommand /usr/bin/backup"] }.
    EOT
  )
}

variable "permit_environment_vars" {
  type        = string
  default     = "no"
  description = "The server's PermitUserEnvironment."
}

variable "accept_env_vars" {
  type        = string
  default     = ""
  description = "The server's AcceptEnv; none when empty."
}

variable "ps59" {
  type        = string
  default     = "sandbox"
  description = "UsePrivilegeSeparation of servers before 7.5."
}

variable "client_roaming" {
  type        = bool
  default     = false
  description = "UseRoaming of clients up to 7.1."
}

variable "custom_selinux_dir" {
  type        = string
  default     = "/etc/selinux/local-policies"
  description = "The folder of the role's policy for SELinux."
}

variable "moduli_minimum" {
  type        = number
  default     = 2048
  description = "The smallest size of primes that stay in the file of moduli."
}

variable "revoked_keys" {
  type        = list(string)
  default     = []
  description = "Public keys that the server never takes."
}

variable "client_options" {
  type        = list(string)
  default     = []
  description = "Further lines of the client's file, which come first."
}

variable "server_options" {
  type        = list(string)
  default     = []
  description = "Further lines of the server's file, which come first."
}

variable "syslog_facility" {
  type        = string
  default     = "AUTH"
  description = "The server's SyslogFacility."
}

variable "log_level" {
  type        = string
  default     = "VERBOSE"
  description = "The server's LogLevel."
}

variable "strict_modes" {
  type        = bool
  default     = true
  description = "Whether the server checks the modes of users' files."
}
