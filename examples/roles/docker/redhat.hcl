block "redhat" {
  hosts = local.hosts
  when  = local.facts.os_family == "rhel"

  task "package" "obsolete_redhat" {
    names = local.obsolete
    state = "absent"
  }

  task "dnf_repository" "docker" {
    when        = var.add_repository
    name        = "docker-${var.edition}-stable"
    description = "Docker"
    base_urls   = ["${var.repository_url}/${local.yum_distribution}/$releasever/$basearch/stable"]
    key         = var.repository_key
    gpg_keys    = local.yum_keys
  }

  task "dnf_repository" "nightly" {
    when  = var.add_repository
    name  = "docker-${var.edition}-nightly"
    state = "absent"
  }

  task "dnf_repository" "test" {
    when        = var.add_repository
    name        = "docker-${var.edition}-test"
    description = "Docker, test releases"
    base_urls   = ["${var.repository_url}/${local.yum_distribution}/$releasever/$basearch/test"]
    key         = var.repository_key
    gpg_keys    = local.yum_keys
    enabled     = var.yum_enable_test
  }

  # The containerd of release 8's own modules is in the way.
  block "release_8" {
    when       = local.release == 8
    depends_on = [task.dnf_repository.docker]

    task "package" "no_runc" {
      names = ["runc"]
      state = "absent"
    }

    task "package" "container_selinux" {
      names      = ["container-selinux"]
      depends_on = [task.package.no_runc]
    }

    task "package" "containerd" {
      names      = ["containerd.io"]
      depends_on = [task.package.container_selinux]
    }
  }
}

locals {
  yum_keys         = var.repository_key == null ? ["${var.repository_url}/${local.yum_distribution}/gpg"] : []
  yum_distribution = contains(["fedora", "rhel"], local.facts.os_id) ? local.facts.os_id : "centos"
}
