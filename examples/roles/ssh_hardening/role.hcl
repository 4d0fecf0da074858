# A hardened client and server of OpenSSH.

locals {
  hosts = !var.enabled ? [] : var.hosts == null ? run.hosts : var.hosts
}

task "facts" "host" {
  hosts = local.hosts
}

locals {
  facts   = task.facts.host[host.name]
  release = tonumber(coalesce(try(regex("^[0-9]+", local.facts.os_version), null), "0"))

  # What differs between systems, from the general to the special: one of the family, and one of
  # a system or its release.
  common = {
    packages              = ["openssh"]
    sshd                  = "/usr/sbin/sshd"
    host_keys_dir         = "/etc/ssh"
    service               = "sshd"
    host_keys_group       = "root"
    selinux_packages      = ["policycoreutils-python-utils", "checkpolicy"]
    kerberos              = true
    pam                   = true
    moduli_file           = "/etc/ssh/moduli"
    disable_crypto_policy = false
  }
  families = {
    debian = { packages = ["openssh-server", "openssh-client"], service = "ssh" }
    rhel   = { host_keys_group = "ssh_keys", disable_crypto_policy = true }
  }
  systems = {
    amzn-2  = { selinux_packages = ["policycoreutils-python", "checkpolicy"] }
    fedora  = { host_keys_group = "root", selinux_packages = ["python3-policycoreutils", "checkpolicy"] }
    rhel-9  = { host_keys_group = "root" }
    rhel-10 = { host_keys_group = "root" }
  }
  system = merge(local.common,
    lookup(local.families, local.facts.os_family, {}),
    lookup(local.systems, "${local.facts.os_family}-${local.release}", {}),
    lookup(local.systems, local.facts.os_id, {}),
    lookup(local.systems, "${local.facts.os_id}-${local.release}", {}),
  )
}

# A version is looked up after the packages are installed.
task "command" "version" {
  hosts      = local.hosts
  argv       = ["ssh", "-V"]
  read_only  = true
  depends_on = [block.install]
}

locals {
  version = regex("OpenSSH_([0-9]+\\.[0-9]+)", task.command.version[host.name].stderr)[0]
}

block "server" {
  hosts      = local.hosts
  when       = var.server_hardening
  depends_on = [block.install]

  task "template" "revoked_keys" {
    dest     = "/etc/ssh/revoked_keys"
    template = file("templates/lines.tmpl")
    vars     = { lines = var.revoked_keys }
    owner    = "root"
    group    = "root"
    mode     = "0600"
    notify   = [handler.service.restart]
  }

  task "template" "sshd_config" {
    dest     = var.server_config_file
    template = file("templates/sshd_config.tmpl")
    vars     = local.server_values
    owner    = "root"
    group    = "root"
    mode     = "0600"
    validate = [
      local.system.sshd, "-T", "-C", "user=root", "-C", "host=localhost", "-C", "addr=localhost", "-C", "lport=22",
      "-f", "%s",
    ]
    notify = [handler.service.restart]
    # The test reads the keys and the file of revoked ones.
    depends_on = [block.host_keys, task.template.revoked_keys]
  }

  # A line of PAM that another one may continue is the administrator's own: it stays.
  task "line_in_file" "dynamic_motd" {
    when   = local.system.pam && !var.print_pam_motd
    path   = "/etc/pam.d/sshd"
    match  = "^session\\s+optional\\s+pam_motd\\.so\\b.*(?<!\\\\)$"
    state  = "absent"
    backup = true
  }

  task "command" "weak_moduli" {
    argv      = ["awk", "$5 < ${var.moduli_minimum}", local.system.moduli_file]
    read_only = true
  }

  # The file without its small primes. One that would be empty is left as it is.
  task "shell" "moduli" {
    when     = task.command.weak_moduli[host.name].stdout != ""
    commands = <<-EOT
      awk '$5 >= ${var.moduli_minimum}' ${local.system.moduli_file} >${local.system.moduli_file}.new
      if [ -s ${local.system.moduli_file}.new ]; then mv ${local.system.moduli_file}.new ${local.system.moduli_file}; fi
    EOT
    notify   = [handler.service.restart]
  }
}

task "template" "ssh_config" {
  hosts    = local.hosts
  when     = var.client_hardening
  dest     = var.client_config_file
  template = file("templates/ssh_config.tmpl")
  vars     = local.client_values
  owner    = "root"
  group    = "root"
  mode     = "0644"
}

block "crypto_policy" {
  hosts = local.hosts
  when  = local.system.disable_crypto_policy

  task "package_facts" "host" {}

  # The distribution's policy would have priority over the file of the server.
  task "copy" "crypto_policy" {
    when   = contains(keys(task.package_facts.host[host.name].versions), "crypto-policies")
    source = "files/sysconfig-sshd"
    dest   = "/etc/sysconfig/sshd"
    owner  = "root"
    group  = "root"
    mode   = "0640"
  }
}

task "service" "sshd" {
  hosts      = local.hosts
  name       = local.system.service
  enabled    = var.server_service_enabled
  depends_on = [block.server, block.crypto_policy]
}

handler "service" "restart" {
  when  = var.server_enabled
  name  = local.system.service
  state = "restarted"
}
