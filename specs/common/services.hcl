# services: a pod for the cluster with its load balancer, name server, registry
# and file server, on one hypervisor or on several; address.hcl has what several need. Adding a service
# is a container here and its files beside this one.

locals {
  # Windows answers no node port of a pod that is elsewhere from the node itself, so the
  # load balancer leads to Linux nodes.
  linux_computes = [for n in local.computes : n.name if !startswith(n.os, "windows")]
  ingress_pool   = length(local.linux_computes) > 0 ? local.linux_computes : [for n in local.controllers : n.name]
  ingress_nodes  = { for name in local.ingress_pool : name => local.node_addresses[name] }

  service_root   = "${local.cluster_folder}/services"
  registry_local = "${local.services_local}:${local.registry_port}"
  registry       = "registry.${cluster.domain}:${local.registry_port}"

  # Configuration of each service: file name → content, the same everywhere. What is secret stands in
  # tasks of its own below.
  service_config = {
    haproxy = {
      "haproxy.cfg" = templatefile("files/haproxy.cfg", {
        cluster    = local.cluster_names, controllers = local.controllers,
        ingress    = local.ingress_nodes,
        node_ports = { for port, inside in var.ingress_node_ports : port => tostring(inside) }
      })
    }
    dns = {
      "named.conf"   = local.named
      "forward.zone" = templatefile("files/forward.zone", merge(local.zone, { loaded = local.loaded_dns }))
      "reverse.zone" = templatefile("files/reverse.zone", {
        cluster = local.cluster_names
        names   = local.reverse_names
      })
    }
    web = {
      "nginx.conf" = templatefile("files/nginx.conf", { cluster = local.cluster_names })
    }
  }
  named = templatefile("files/named.conf", {
    cluster = local.cluster_names, forwarders = var.dns_public, reverse_zone = local.reverse_zone
    clients = concat([cluster.network.cidr], local.pod_networks, [
      for address in values(local.node_addresses) :
      "${address}/32"
    ])
  })
  service_files = merge([for service, files in local.service_config : {
    for name, content in files : "${service}/${name}" => content
  }]...)

  # Ports of the services' hypervisor that lead into the pod. Where no overlay does, nodes
  # come to the registry this way too, those with Windows to the file server, and the
  # hypervisor itself asks how services are.
  published_ports = merge(
    { for outside, inside in var.published_ports : outside => inside },
    { for port in local.overlay ? [] : [var.registry_port] : tostring(port) => 5000 },
    { for port in local.publish_files ? [var.files_port] : [] : tostring(port) => 8080 },
  )
  services_ports = concat(
    [for outside, inside in local.published_ports : "${outside}:${inside}"],
    local.overlay ? [] : ["127.0.0.1:9000:9000", "127.0.0.1:10053:53/udp"],
    local.overlay || local.publish_files ? [] : ["127.0.0.1:8080:8080"],
  )

  zone = { cluster = local.cluster_names, services = { ip = local.services_address }, nodes = local.node_addresses }
  reverse_names = merge(
    { for name, ip in local.node_addresses : ip => name },
    { (local.services_address) = "services" },
  )

  # What a service says that it works by, which a run compares with the files.
  loaded_dns = substr(sha256(local.loaded_dns_text), 0, 32)
  loaded_dns_text = jsonencode([
    local.named,
    templatefile("files/forward.zone", merge(local.zone, { loaded = "" })),
    local.reverse_names,
    file("files/reverse.zone"),
  ])

  # The zone of the network's whole octets.
  network_octets = slice(split(".", cidrhost(cluster.network.cidr, 0)), 0, floor(cluster.network.prefix / 8))
  reverse_zone   = "${join(".", reverse(local.network_octets))}.in-addr.arpa"

  # How podman finds out whether a container is healthy. health.sh has what images have.
  service_health = merge({
    for name, words in {
      haproxy  = ["9000", "/healthz"]
      dns      = ["53"]
      registry = ["5001", "/v2/"]
      web      = ["8080", "/healthz"]
    } :
    name => concat(["sh", "-c", file("files/health.sh"), "health"], words)
  }, var.service_health)
  health_options = { for name, words in local.service_health : name => length(words) == 0 ? [] : [
    "--health-cmd", jsonencode(words), "--health-interval", "1m", "--health-timeout", "30s", "--health-retries",
    "3", "--health-start-period", "1m",
  ] }

  # How each container starts and what it sees. The image decides the program. Services that read
  # their configuration again while they work have nothing of it in config.
  service_containers = {
    haproxy = {
      command = var.service_commands.haproxy
      volumes = ["${local.service_root}/haproxy:/usr/local/etc/haproxy:ro"]
      config  = "haproxy"
    }
    dns = {
      command = var.service_commands.dns
      volumes = ["${local.service_root}/dns:/etc/bind:ro"]
      config  = "dns"
    }
    registry = {
      command = var.service_commands.registry
      volumes = [
        "${local.service_root}/registry:/etc/docker/registry:ro",
        "kinit-${cluster.name}-registry:/var/lib/registry",
      ]
      config = "registry"
    }
    web = {
      command = var.service_commands.web
      volumes = ["${local.service_root}/web:/etc/kinit-web:ro", "${local.service_root}/www:/srv/www:ro"]
      config  = sha256(jsonencode(local.service_config.web))
    }
  }
}

task "directory" "services" {
  stage = "services"
  hosts = local.services_hosts
  for_each = toset(concat(
    [local.service_root, "${local.service_root}/www"],
    [for name in keys(local.service_containers) : "${local.service_root}/${name}"]
  ))
  path       = each.key
  mode       = "0755"
  depends_on = [task.directory.root]
}

# Who may use the registry: its users, who push and pull, and the cluster's nodes, which
# only pull. The load balancer asks for the passwords and has the certificate; the registry
# itself answers no client outside of the pod.
block "service_secrets" {
  stage      = "services"
  host       = local.services.hypervisor
  depends_on = [task.directory.services]

  task "secret" "registry_password" {
    path   = "${local.cluster_folder}/registry-password"
    format = "password"
  }

  task "secret" "registry_nodes" {
    path   = "${local.cluster_folder}/registry-nodes"
    format = "password"
  }

  task "secret" "registry_http" {
    path   = "${local.cluster_folder}/registry-http"
    format = "hex"
  }
}

block "service_files" {
  stage      = "services"
  hosts      = local.services_hosts
  depends_on = [task.directory.services]

  task "copy" "service" {
    for_each = local.service_files
    dest     = "${local.service_root}/${each.key}"
    content  = each.value
    mode     = "0644"
  }

  task "copy" "registry_users" {
    dest = "${local.service_root}/haproxy/users.cfg"
    content_secret = templatefile("files/users.cfg", {
      cluster = local.cluster_names
      kinit   = task.secret.registry_password.value
      nodes   = task.secret.registry_nodes.value
    })
    mode = "0600"
  }

  task "x509_certificate" "registry" {
    key          = "${local.service_root}/haproxy/registry.crt.key"
    cert         = "${local.service_root}/haproxy/registry.crt"
    ca_cert_pem  = task.x509_ca.cluster.cert_pem
    ca_key_pem   = task.x509_ca.cluster.key_pem
    cn           = "registry.${cluster.domain}"
    dns_names    = ["registry.${cluster.domain}", "services.${cluster.domain}", "localhost"]
    ip_addresses = concat([for pod in values(local.services_on) : pod.ip], [local.services_address, "127.0.0.1"])
  }

  task "copy" "haproxy_loaded" {
    dest = "${local.service_root}/haproxy/loaded"
    content = sha256(jsonencode([
      local.service_config.haproxy,
      task.copy.registry_users[host.name].sha256,
      task.x509_certificate.registry[host.name].cert_pem,
    ]))
    mode = "0644"
  }

  task "copy" "registry_config" {
    dest = "${local.service_root}/registry/config.yml"
    content_secret = templatefile("files/registry.yml", {
      cluster     = local.cluster_names
      http_secret = task.secret.registry_http.value
    })
    mode = "0600"
  }
}

locals {
  # The services' images: those of the variable, or else the pinned ones.
  service_defaults = { haproxy = "haproxy", dns = "bind9", registry = "registry", web = "nginx" }
  service_pins     = [for name, pin in local.service_defaults : pin if !contains(keys(var.service_images), name)]
  service_images = merge(
    tomap({ for name, pin in local.service_defaults : name => { name = local.pinned[pin], archive = "" } }),
    var.service_images,
  )
}

block "services" {
  stage = "services"
  hosts = local.services_hosts

  task "podman_image" "service" {
    for_each = { for image in distinct(values(local.service_images)) : image.name => image }
    name     = each.key
    source   = each.value.archive
    timeout  = "20m"
    advice = fold(<<-EOT
      The services' hypervisor fetches this image. The variable image_mirrors names another place of its registry, and
      service_images another image.
      EOT
    )
  }

  task "podman_network" "outside" {
    name = "kinit-${cluster.name}"
    mtu  = task.facts.underlay[host.name].route_mtu
  }

  # What is pushed is the registry's alone, so it lives in a volume and goes with it.
  task "podman_volume" "registry" {
    name = "kinit-${cluster.name}-registry"
  }

  task "podman_pod" "services" {
    name     = "kinit-${cluster.name}-services"
    hostname = "services"
    networks = [task.podman_network.outside[host.name].name]
    publish  = local.services_ports
    # What services keep is in volumes with names, and images may declare others.
    replace_volumes = true
    # A firewall may be reloaded, before there is a container whose ports it would lose.
    depends_on = [task.firewall.published, task.firewall.pod]
  }

  task "podman_container" "service" {
    for_each = local.service_containers
    name     = "kinit-${cluster.name}-${each.key}"
    pod      = task.podman_pod.services[host.name].name
    image    = task.podman_image.service[host.name][local.service_images[each.key].name].name
    command  = each.value.command
    volumes  = each.value.volumes
    user     = "0"
    # Not "always": podman's own unit would start these at boot, before the pod's.
    restart = "on-failure"
    # SELinux would not let containers read folders of the hypervisor.
    options = concat(
      local.health_options[each.key],
      task.facts.hypervisor[host.name].selinux == "" ? [] : ["--security-opt", "label=disable"],
    )
    # What services read once and is secret.
    config_hash = join(" ", [
      each.value.config,
      each.key == "registry" ? task.copy.registry_config[host.name].sha256 : "",
    ])
    replace_volumes = true # what services keep is in volumes with names
    depends_on = [
      task.podman_volume.registry, task.copy.service, task.copy.registry_users, task.copy.registry_config,
      task.copy.haproxy_loaded,
    ]
  }

  # The pod's place on the overlay.
  task "ovs_veth" "services" {
    when       = local.overlay
    name       = local.services_device
    peer       = "overlay"
    netns      = task.podman_pod.services[host.name].netns
    bridge     = "br-int"
    iface_id   = local.services_on[host.name].port_id
    mac        = local.services_on[host.name].mac
    mtu        = local.overlay_mtu
    addresses  = ["${local.services_on[host.name].ip}/${cluster.network.prefix}"]
    floating   = [for address in local.moving_address : "${address}/32"]
    tx_offload = local.offload
    depends_on = [task.ovn_sync.overlay, task.podman_container.service]
  }

  # After a restart of the host the pod has another network namespace, so the script
  # plugs it in again once it has started.
  task "copy" "plug" {
    dest       = "${local.cluster_folder}/services.sh"
    content    = local.overlay ? task.ovs_veth.services[host.name].boot_script : "# No overlay.\n"
    mode       = "0755"
    depends_on = [task.directory.services]
  }

  task "service" "services" {
    name    = "kinit-${cluster.name}-services.service"
    enabled = true
    state   = "started"
    unit = templatefile("files/services.service", {
      cluster = cluster.name
      pod     = task.podman_pod.services[host.name].name
      script  = "${local.cluster_folder}/services.sh"
    })
    depends_on = [task.copy.plug]
  }
}

# A change of these services' files ends no connection. The services are up by then: a signal would end one
# that starts.
block "services_load" {
  stage      = "services"
  hosts      = local.services_hosts
  depends_on = [task.service.services]

  task "wait" "balancer" {
    url      = "http://${local.services_local}:9000/healthz"
    within   = "3m"
    evidence = [["podman", "logs", "--tail", "20", "kinit-${cluster.name}-haproxy"]]
  }

  task "command" "load_haproxy" {
    argv       = concat(["sh", "-c", file("files/reload.sh"), "reload", "reload"], local.load_haproxy)
    unless     = concat(["sh", "-c", file("files/reload.sh"), "reload", "check"], local.load_haproxy)
    depends_on = [task.wait.balancer, task.copy.haproxy_loaded]
  }

  task "command" "load_dns" {
    argv       = concat(["sh", "-c", file("files/reload.sh"), "reload", "reload"], local.load_dns)
    unless     = concat(["sh", "-c", file("files/reload.sh"), "reload", "check"], local.load_dns)
    depends_on = [task.wait.dns, task.copy.service]
  }
}

locals {
  # In the words of reload.sh. HAProxy serves the file as it was when it read its configuration.
  load_haproxy = [
    "kinit-${cluster.name}-haproxy", "USR2", "file:${local.service_root}/haproxy/loaded",
    join(" ", concat(var.service_commands.haproxy, ["-c"])),
    "curl", "--silent", "--max-time", "5", "http://${local.services_local}:9000/loaded",
  ]
  load_dns = concat(
    ["kinit-${cluster.name}-dns", "HUP", local.loaded_dns, "named-checkconf -z /etc/bind/named.conf"],
    local.ask_dns, ["loaded.${cluster.domain}", "TXT"],
  )
  ask_dns = ["dig", "+short", "+time=2", "+tries=1", "-p", local.overlay ? "53" : "10053", "@${local.services_local}"]
}

block "services_answer" {
  stage      = "services"
  hosts      = local.services_hosts
  depends_on = [task.service.services]

  # Each service answers on the overlay, as the nodes will ask it.
  task "wait" "service" {
    for_each = {
      web      = { url = "http://${local.services_local}:${local.files_port}/healthz", status = 200 }
      registry = { url = "https://${local.registry_local}/v2/", status = 401 }
    }
    url      = each.value.url
    status   = each.value.status
    ca_pem   = task.x509_ca.cluster.cert_pem
    within   = "3m"
    evidence = [["podman", "logs", "--tail", "20", "kinit-${cluster.name}-${each.key}"]]
    # Its certificate may have got the address by which it is asked.
    depends_on = [task.command.load_haproxy]
  }

  task "wait" "dns" {
    argv     = concat(local.ask_dns, ["api.${cluster.domain}"])
    expect   = local.services_address
    within   = "3m"
    evidence = [["podman", "logs", "--tail", "20", "kinit-${cluster.name}-dns"]]
  }

  # Each is healthy by its own check, which podman repeats: "podman ps" shows what came of it.
  task "wait" "health" {
    for_each = toset([for name, words in local.service_health : name if length(words) > 0])
    argv     = ["podman", "healthcheck", "run", "kinit-${cluster.name}-${each.key}"]
    within   = "3m"
    evidence = [["podman", "logs", "--tail", "20", "kinit-${cluster.name}-${each.key}"]]
  }
}

block "services_login" {
  stage = "services"
  hosts = local.services_hosts

  task "copy" "services_ca" {
    dest       = "${local.cluster_folder}/registry-ca.crt"
    content    = task.x509_ca.cluster.cert_pem
    mode       = "0644"
    depends_on = [task.directory.root]
  }

  # The generated credentials open the registry.
  task "command" "login" {
    argv = [
      "curl", "--silent", "--show-error", "--fail", "--cacert", "${local.cluster_folder}/registry-ca.crt",
      "--config", "-",
      "https://${local.registry_local}/v2/",
    ]
    stdin      = "user = \"kinit:${task.secret.registry_password.value}\"\n"
    read_only  = true
    depends_on = [task.command.load_haproxy, task.copy.services_ca]
  }
}
