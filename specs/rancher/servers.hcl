# servers: the first one, whose authority is made beforehand, the others, and then agents.

# The token with which nodes join. Those that join get it with the checksum of the authority, by
# which they verify the server.
task "secret" "join" {
  stage      = "network"
  host       = local.first_hypervisor
  path       = "${local.cluster_folder}/${local.rancher}-token"
  format     = "hex"
  depends_on = [task.directory.root]
}

# The cluster outlives its first hypervisor: others have the token too.
task "copy" "join_copy" {
  stage          = "network"
  hosts          = local.copy_hosts
  dest           = "${local.cluster_folder}/${local.rancher}-token"
  content_secret = task.secret.join.value
  mode           = "0600"
  depends_on     = [task.directory.root]
}

block "rancher_authority" {
  stage = "cluster"
  host  = local.first_node

  # The first server uses an authority that is there before it starts; the others get it from the first.
  task "directory" "authority" {
    path       = "${local.rancher_data}/server/tls"
    mode       = "0700"
    depends_on = [task.directory.rancher]
  }

  task "copy" "authority" {
    for_each   = toset(["server-ca", "client-ca"])
    dest       = "${local.rancher_data}/server/tls/${each.key}.crt"
    content    = task.x509_ca.kubernetes.cert_pem
    mode       = "0644"
    depends_on = [task.directory.authority]
  }

  task "copy" "authority_key" {
    for_each       = toset(["server-ca", "client-ca"])
    dest           = "${local.rancher_data}/server/tls/${each.key}.key"
    content_secret = task.x509_ca.kubernetes.key_pem
    mode           = "0600"
    depends_on     = [task.directory.authority]
  }
}

locals {
  # The settings of each node, without what is secret and what hosts say.
  any_settings = { for name in local.all_nodes : name => merge(
    { node-name = name, node-ip = cluster.nodes[name].ip },
    { for address in name == local.first_node ? [] : [local.rancher_join] : "server" => address },
    try(local.rancher_nodes[name], {}),
  ) }
  server_settings = { for name in local.servers : name => merge(
    local.any_settings[name],
    {
      advertise-address     = cluster.nodes[name].ip
      cluster-cidr          = var.pod_cidr
      service-cidr          = var.service_cidr
      write-kubeconfig-mode = "0600"
    },
    local.rancher_server, {
      for setting, value in local.rancher_first :
      setting => value if name == local.first_node
    }, local.component_flags,
  ) }
  agent_settings = { for name in local.agents : name => merge(local.any_settings[name], local.agent_flags) }
}

task "copy" "server" {
  stage = "cluster"
  hosts = local.servers
  dest  = "${local.rancher_etc}/config.yaml"
  content_secret = yamlencode(merge(local.server_settings[host.name], {
    token = (
      host.name == local.first_node
      ? task.secret.join.value
      : "K10${sha256(task.x509_ca.kubernetes.cert_pem)}::server:${task.secret.join.value}"
    )
    tls-san = concat(
      [local.api, "api-int.${cluster.domain}", local.services_address], [
        for h in local.hypervisors :
        task.facts.underlay[h].route_address
      ],
    )
  }))
  mode       = "0600"
  depends_on = [task.directory.rancher]
}

task "copy" "agent" {
  stage = "cluster"
  hosts = local.agents
  dest  = "${local.rancher_etc}/config.yaml"
  content_secret = yamlencode(merge(local.agent_settings[host.name], {
    token = "K10${sha256(task.x509_ca.kubernetes.cert_pem)}::server:${task.secret.join.value}"
  }))
  mode       = "0600"
  depends_on = [task.directory.rancher]
}

block "rancher_servers" {
  stage = "servers"
  hosts = local.servers

  task "systemd_unit" "server" {
    name = local.rancher_units.server
    content = templatefile("files/node.service", {
      name    = local.rancher
      program = local.rancher_program
      role    = "server"
    })
    enabled = true
    state   = "started"
    restart_on = [
      task.copy.server[host.name].sha256,
      task.copy.registries[host.name].sha256,
      task.copy.kubelet[host.name].sha256,
      task.download.rancher[host.name].sha256,
    ]
  }

  task "wait" "server" {
    argv   = concat(local.kubectl, ["get", "--raw", "/readyz"])
    expect = "^ok"
    within = var.cluster_timeout
    evidence = [
      ["systemctl", "status", "--no-pager", "--lines", "0", local.rancher_units.server],
      ["journalctl", "--unit", local.rancher_units.server, "--lines", "40", "--no-pager", "--output", "cat"],
    ]
    depends_on = [task.systemd_unit.server]
  }
}

task "systemd_unit" "agent" {
  stage = "computes"
  hosts = local.agents
  name  = local.rancher_units.agent
  content = templatefile("files/node.service", {
    name    = local.rancher
    program = local.rancher_program
    role    = "agent"
  })
  enabled = true
  state   = "started"
  restart_on = [
    task.copy.agent[host.name].sha256,
    task.copy.registries[host.name].sha256,
    task.copy.kubelet[host.name].sha256,
    task.download.rancher[host.name].sha256,
  ]
}
