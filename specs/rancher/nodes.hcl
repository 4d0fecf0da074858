# nodes: program, images and settings of every node, before anything of it starts.

locals {
  # Debian packages of nodes, which drivers install. The program has everything else in it.
  node_packages = ["iptables", "nftables", "conntrack", "ipset"]
  # How a machine that stays leaves the cluster.
  leave_script = templatefile("files/leave.sh", { name = local.rancher, units = values(local.rancher_units) })

  windows_leave_script = ""
  windows_traces = {
    services  = []
    tasks     = []
    rules     = []
    alone     = []
    folders   = []
    files     = []
    parents   = []
    elements  = []
    variables = []
    networks  = []
    unscanned = { processes = [], folders = [] }
  }

  rancher_etc     = "/etc/rancher/${local.rancher}"
  rancher_data    = "/var/lib/rancher/${local.rancher}"
  rancher_root    = "/usr/local/lib/kinit/${local.rancher}"
  rancher_program = "/usr/local/bin/${local.rancher}"
  rancher_packed  = local.rancher_archive ? local.all_nodes : []

  admin_conf   = "${local.rancher_etc}/${local.rancher}.yaml"
  kubelet_unit = local.rancher_units.server
  servers      = [for c in local.controllers : c.name]
  agents       = [for name in local.all_nodes : name if !contains(local.servers, name)]

  # Flags of components, by the settings that say them.
  component_flags = {
    for component, setting in {
      apiserver          = "kube-apiserver-arg"
      controller_manager = "kube-controller-manager-arg"
      scheduler          = "kube-scheduler-arg"
      etcd               = "etcd-arg"
      kubelet            = "kubelet-arg"
    } :
    setting => [for flag, value in var.component_args[component] : "${flag}=${value}"]
    if can(var.component_args[component])
  }
  agent_flags = { for setting, flags in local.component_flags : setting => flags if setting == "kubelet-arg" }
}

task "directory" "rancher" {
  stage = "cluster"
  for_each = {
    for pair in setproduct(local.all_nodes, concat(
      [local.rancher_etc, "${local.rancher_data}/agent/images", "${local.rancher_data}/agent/etc/kubelet.conf.d"],
      local.rancher_archive ? [local.rancher_root] : [],
    )) : "${pair[0]}/${pair[1]}" => { node = pair[0], path = pair[1] }
  }
  host = each.value.node
  path = each.value.path
  mode = "0755"
}

block "rancher_files" {
  stage      = "cluster"
  hosts      = local.all_nodes
  depends_on = [task.directory.rancher]

  task "download" "rancher" {
    url        = local.rancher_files.program.url
    sha256     = local.rancher_files.program.sha256
    sha512     = local.rancher_files.program.sha512
    sha256_url = local.rancher_files.program.sha256_url
    dest       = local.rancher_archive ? "${local.rancher_root}/release.tar.gz" : local.rancher_program
    mode       = local.rancher_archive ? "0644" : "0755"
    timeout    = "20m"
    advice     = local.rancher_advice
  }

  # The archive has the images of the distribution, which each node loads when it starts.
  task "download" "rancher_images" {
    url        = local.rancher_files.images.url
    sha256     = local.rancher_files.images.sha256
    sha512     = local.rancher_files.images.sha512
    sha256_url = local.rancher_files.images.sha256_url
    dest       = "${local.rancher_data}/agent/images/${local.rancher_names.images}"
    timeout    = "30m"
    advice     = local.rancher_advice
  }

  # The cluster's registry is where other images come from.
  task "copy" "registry_ca" {
    dest    = "${local.rancher_etc}/kinit-ca.crt"
    content = task.x509_ca.cluster.cert_pem
    mode    = "0644"
  }

  task "copy" "registries" {
    dest = "${local.rancher_etc}/registries.yaml"
    content_secret = yamlencode({
      mirrors = { "*" = { endpoint = ["https://${local.registry}"] } }
      configs = { (local.registry) = {
        auth = { username = "nodes", password = task.secret.registry_nodes.value }
        tls  = { ca_file = "${local.rancher_etc}/kinit-ca.crt" }
      } }
    })
    mode = "0600"
  }

  # What differs from node to node in the configuration of its kubelet. A node that is a
  # container sees all memory and processors of its hypervisor; what is not its own is
  # reserved. Its disk is the hypervisor's to watch.
  task "copy" "kubelet" {
    dest = "${local.rancher_data}/agent/etc/kubelet.conf.d/90-kinit.conf"
    content = yamlencode(merge(
      { apiVersion = "kubelet.config.k8s.io/v1beta1", kind = "KubeletConfiguration" },
      jsondecode(templatefile("../kubernetes/files/kubelet.json", {
        facts = task.facts.node[host.name]
        node  = cluster.nodes[host.name]
      })),
      local.kubelets[host.name],
    ))
    mode = "0600"
  }
}

block "rancher_archive" {
  stage = "cluster"
  hosts = local.rancher_packed

  task "unarchive" "rancher" {
    archive    = "${local.rancher_root}/release.tar.gz"
    dest       = "${local.rancher_root}/release"
    owner      = "root"
    group      = "root"
    depends_on = [task.download.rancher]
  }

  task "link" "rancher" {
    path       = local.rancher_program
    target     = "${local.rancher_root}/release/bin/${local.rancher}"
    depends_on = [task.unarchive.rancher]
  }
}

task "command" "rancher" {
  stage      = "cluster"
  hosts      = local.all_nodes
  argv       = [local.rancher_program, "--version"]
  read_only  = true
  expect     = "^${local.rancher} version ${replace(local.kubernetes_version, "/([.+])/", "\\$1")} "
  depends_on = [task.download.rancher, task.link.rancher]
}

# Servers have it when they have started once.
task "link" "server_kubectl" {
  stage      = "cluster"
  hosts      = local.servers
  path       = "/usr/local/bin/kubectl"
  target     = local.rancher_kubectl
  depends_on = [task.command.rancher]
}

# Images go to the cluster's registry on the hypervisor, whose processor is real.
task "command" "push" {
  stage      = "services"
  hosts      = local.services_hosts
  argv       = local.push.push
  unless     = local.push.check
  timeout    = "30m"
  advice     = local.push_advice
  depends_on = [task.copy.registry_client_ca, task.copy.registry_auth, task.copy.registry_curl, task.command.login]
}
