# What all exporters need.
block "preflight" {
  hosts = var.hosts

  task "assert" "systemd" {
    condition {
      holds   = var.facts.service_manager == "systemd"
      message = "${host.name} is started by ${var.facts.service_manager}: exporters are services of systemd here."
    }
  }

  task "assert" "listen_addresses" {
    condition {
      holds   = alltrue([for address in var.web_listen_addresses : can(regex(".+:[0-9]+$", address))])
      message = "An address to listen at is HOST:PORT: ${join(", ", var.web_listen_addresses)}."
    }
  }
}
