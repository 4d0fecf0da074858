# What must hold before anything is changed.

task "http_request" "latest" {
  when    = var.version == "latest"
  url     = var.latest_url
  headers = local.headers
  follow  = true
  retry {
    attempts = 10
    delay    = "10s"
  }
}

block "preflight" {
  hosts = local.hosts

  task "assert" "listen_addresses" {
    condition {
      holds   = length(var.web_listen_addresses) == 1 || versioncompare(local.version, "1.5.0") >= 0
      message = "Only versions from 1.5.0 on listen at several addresses: set version or web_listen_addresses."
    }
  }

  task "assert" "collectors" {
    condition {
      holds = length(setintersection(keys(local.collectors), var.disabled_collectors)) == 0
      message = fold(<<-EOT
        These collectors are both enabled and disabled:
        ${join(", ", setintersection(keys(local.collectors), var.disabled_collectors))}.
        EOT
      )
    }
  }

  block "tls" {
    when = length(local.tls) > 0

    task "assert" "tls_paths" {
      condition {
        holds   = can(local.tls.cert_file) && can(local.tls.key_file)
        message = "tls_server_config needs cert_file and key_file."
      }
    }

    task "stat" "cert" {
      path       = try(local.tls.cert_file, "/missing")
      depends_on = [task.assert.tls_paths]
    }

    task "stat" "key" {
      path       = try(local.tls.key_file, "/missing")
      depends_on = [task.assert.tls_paths]
    }

    task "assert" "tls_files" {
      condition {
        holds = task.stat.cert[host.name].exists
        message = fold(<<-EOT
          ${host.name} has no ${task.stat.cert[host.name].path}: put the certificate there, or change cert_file.
          EOT
        )
      }
      condition {
        holds   = task.stat.key[host.name].exists
        message = "${host.name} has no ${task.stat.key[host.name].path}: put the key there, or change key_file."
      }
    }
  }
}
