# What the templates see.
locals {
  word  = { true = "yes", false = "no" }
  since = { for v in ["5.8", "6.2", "7.2", "7.4", "7.5", "7.6"] : v => versioncompare(local.version, v) >= 0 }

  server_values = {
    options                    = var.server_options
    since                      = local.since
    ports                      = var.server_ports
    ipv6                       = var.ipv6
    listen_to                  = var.listen_to
    host_keys                  = local.host_keys
    host_certificates          = var.host_certificates
    host_key_algorithms        = var.host_key_algorithms
    syslog_facility            = var.syslog_facility
    log_level                  = var.log_level
    ciphers                    = local.ciphers
    macs                       = local.macs
    kex                        = local.kex
    ps59                       = var.ps59
    permit_root_login          = var.permit_root_login
    strict_modes               = local.word[var.strict_modes]
    login_grace_time           = var.login_grace_time
    max_auth_retries           = var.max_auth_retries
    max_sessions               = var.max_sessions
    max_startups               = var.max_startups
    pubkey_authentication      = local.word[var.pubkey_authentication]
    pam                        = local.system.pam
    use_pam                    = local.word[var.use_pam]
    authentication_methods     = var.authentication_methods
    password_login             = local.word[var.server_password_login]
    challenge_response         = local.word[var.challenge_response]
    kerberos                   = local.system.kerberos
    gssapi                     = local.word[var.gssapi]
    deny_users                 = var.deny_users
    allow_users                = var.allow_users
    deny_groups                = var.deny_groups
    allow_groups               = var.allow_groups
    authorized_keys_file       = var.authorized_keys_file
    trusted_user_ca_keys_file  = var.trusted_user_ca_keys_file
    authorized_principals_file = var.authorized_principals_file
    client_alive_interval      = var.client_alive_interval
    client_alive_count         = var.client_alive_count
    permit_tunnel              = var.permit_tunnel
    allow_tcp_forwarding       = var.allow_tcp_forwarding
    allow_agent_forwarding     = local.word[var.allow_agent_forwarding]
    gateway_ports              = var.gateway_ports
    x11_forwarding             = local.word[var.x11_forwarding]
    permit_environment_vars    = var.permit_environment_vars
    accept_env_vars            = var.accept_env_vars
    compression                = local.word[var.compression]
    use_dns                    = local.word[var.use_dns]
    print_motd                 = local.word[var.print_motd]
    print_last_log             = local.word[var.print_last_log]
    banner                     = var.banner
    debian                     = local.facts.os_family == "debian"
    print_debian_banner        = local.word[var.print_debian_banner]
    sftp_enabled               = var.sftp_enabled
    sftp_umask                 = var.sftp_umask
    sftp_chroot                = var.sftp_chroot
    sftp_chroot_dir            = var.sftp_chroot_dir
    matches                    = var.matches
  }

  client_values = {
    options             = var.client_options
    since               = local.since
    ipv6                = var.ipv6
    remote_hosts        = var.remote_hosts
    port                = var.client_port
    ciphers             = local.ciphers
    macs                = local.macs
    kex                 = local.kex
    host_key_algorithms = var.client_host_key_algorithms
    forward_agent       = var.forward_agent
    password_login      = local.word[var.client_password_login]
    gssapi              = local.word[var.gssapi]
    gssapi_delegation   = local.word[var.gssapi_delegation]
    compression         = local.word[var.client_compression]
    client_roaming      = local.word[var.client_roaming]
  }
}
