# What SELinux has to allow.
block "selinux" {
  hosts      = local.hosts
  when       = local.facts.selinux != ""
  depends_on = [block.install]

  task "package" "selinux" {
    names = local.system.selinux_packages
  }

  task "selinux_port" "ports" {
    type       = "ssh_port_t"
    ports      = var.server_ports
    depends_on = [task.package.selinux]
  }

  task "command" "policies" {
    argv       = ["semodule", "-l"]
    read_only  = true
    depends_on = [task.package.selinux]
  }

  # Without PAM the server reads the file of passwords itself.
  block "password_policy" {
    when = !var.use_pam && !strcontains(task.command.policies[host.name].stdout, "ssh_password")

    task "directory" "policies" {
      path  = var.custom_selinux_dir
      owner = "root"
      group = "root"
      mode  = "0750"
    }

    task "copy" "policy" {
      source = "files/ssh_password.te"
      dest   = "${task.directory.policies[host.name].path}/ssh_password.te"
      owner  = "root"
      group  = "root"
      mode   = "0600"
    }

    task "command" "compile" {
      argv = [
        "checkmodule", "-M", "-m", "-o", "${var.custom_selinux_dir}/ssh_password.mod",
        task.copy.policy[host.name].path,
      ]
    }

    task "command" "pack" {
      argv = [
        "semodule_package", "-o", "${var.custom_selinux_dir}/ssh_password.pp", "-m",
        "${var.custom_selinux_dir}/ssh_password.mod",
      ]
      depends_on = [task.command.compile]
    }

    task "command" "load" {
      argv       = ["semodule", "-i", "${var.custom_selinux_dir}/ssh_password.pp"]
      depends_on = [task.command.pack]
    }
  }

  # With PAM nothing but PAM needs that file.
  task "command" "remove_policy" {
    when = var.use_pam && strcontains(task.command.policies[host.name].stdout, "ssh_password")
    argv = ["semodule", "-r", "ssh_password"]
  }
}
