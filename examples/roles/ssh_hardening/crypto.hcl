# Keys and algorithms, by OpenSSH's version: the last set whose version is not newer counts.

locals {
  host_key_sets = {
    "5.3" = ["rsa"]
    "6.0" = ["rsa", "ecdsa"]
    "6.3" = ["rsa", "ecdsa", "ed25519"]
  }
  cipher_sets = {
    "5.3" = ["aes256-ctr", "aes192-ctr", "aes128-ctr"]
    "6.6" = [
      "chacha20-poly1305@openssh.com", "aes256-gcm@openssh.com", "aes128-gcm@openssh.com", "aes256-ctr",
      "aes192-ctr", "aes128-ctr",
    ]
  }
  kex_sets = {
    "5.9" = ["diffie-hellman-group-exchange-sha256"]
    "6.6" = ["curve25519-sha256@libssh.org", "diffie-hellman-group-exchange-sha256"]
    "8.0" = [
      "sntrup4591761x25519-sha512@tinyssh.org", "curve25519-sha256@libssh.org",
      "diffie-hellman-group-exchange-sha256",
    ]
    "8.5" = [
      "sntrup761x25519-sha512@openssh.com", "curve25519-sha256@libssh.org", "diffie-hellman-group-exchange-sha256",
    ]
  }
  mac_sets = {
    "5.3" = ["hmac-ripemd160", "hmac-sha1"]
    "5.9" = ["hmac-sha2-512", "hmac-sha2-256", "hmac-ripemd160"]
    "6.6" = [
      "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256-etm@openssh.com", "umac-128-etm@openssh.com", "hmac-sha2-512",
      "hmac-sha2-256",
    ]
    "7.6" = [
      "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256-etm@openssh.com", "umac-128-etm@openssh.com", "hmac-sha2-512",
      "hmac-sha2-256",
    ]
  }

  host_keys = (var.host_key_files != null ? var.host_key_files : [
    for type in element(
      reverse([for since, set in local.host_key_sets : set if versioncompare(local.version, since) >= 0]),
      0,
    ) :
    "${local.system.host_keys_dir}/ssh_host_${type}_key"
  ])
  ciphers = (
    var.ciphers != null
    ? var.ciphers
    : reverse([for since, set in local.cipher_sets : set if versioncompare(local.version, since) >= 0])[0]
  )
  kex = (
    var.kex != null
    ? var.kex
    : reverse([for since, set in local.kex_sets : set if versioncompare(local.version, since) >= 0])[0]
  )
  macs = (
    var.macs != null
    ? var.macs
    : reverse([for since, set in local.mac_sets : set if versioncompare(local.version, since) >= 0])[0]
  )
}

block "host_keys" {
  hosts      = local.hosts
  when       = var.server_hardening && var.host_key_files == null
  depends_on = [block.install]

  task "ssh_key" "rsa" {
    path    = "${local.system.host_keys_dir}/ssh_host_rsa_key"
    type    = "rsa"
    bits    = var.host_rsa_key_size
    replace = true
  }

  # All types there may be; those that the version lacks are left out.
  task "file" "host_key" {
    for_each   = ["rsa", "ecdsa", "ed25519"]
    when       = contains(local.host_keys, "${local.system.host_keys_dir}/ssh_host_${each.key}_key")
    path       = "${local.system.host_keys_dir}/ssh_host_${each.key}_key"
    owner      = "root"
    group      = local.system.host_keys_group
    mode       = "0600"
    depends_on = [task.ssh_key.rsa]
  }
}
