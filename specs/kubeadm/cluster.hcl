# cluster: container runtime on every node, the first controller, the others, the
# network between pods.

locals {
  # Debian packages that Kubernetes needs on a node, for drivers to bring.
  node_packages = concat(local.runtime_packages, [
    "iptables", "nftables", "conntrack", "ethtool", "socat", "ipset", "ebtables",
  ])
  # How a machine that stays leaves the cluster.
  leave_script = "${file("files/leave.sh")}${local.runtime_upstream ? file("files/leave-runtime.sh") : ""}"
  # Where controllers have an administrator's kubeconfig, and the unit of the kubelet.
  admin_conf   = "/etc/kubernetes/admin.conf"
  kubelet_unit = "kubelet"
  # Emulated processors are slow: probes and heartbeats get more time there, programs keep to
  # one processor, and the leases of a single controller need no election.
  liveness_failures = coalesce(var.liveness_failures, local.emulated ? 60 : 8)
  readiness_period  = coalesce(var.readiness_period, local.emulated ? 15 : 1)
  component_environment = merge(
    {
      for name in local.emulated ? ["apiserver", "controller_manager", "scheduler", "etcd"] : [] :
      name => { GOMAXPROCS = "1" }
    },
    var.component_env,
  )
  component_args = merge(
    { for name in local.emulated ? ["controller_manager", "scheduler"] : [] : name => merge(
      { for flag in length(local.controllers) == 1 ? ["leader-elect"] : [] : flag => "false" },
      { for flag in name == "controller_manager" ? ["node-monitor-grace-period"] : [] : flag => "3m" },
    ) },
    var.component_args,
  )
  # A machine on the overlay has further networks: its kubelet would take another address.
  node_args = { for name, node in local.linux_nodes : name => {
    for component in ["kubelet"] : component => { "node-ip" = node.ip } if contains(local.driver_chassis, name)
  } }
  # kubeadm's configuration on the first controller.
  init_config = "/etc/kubernetes/kinit-init.yaml"
  # Checks of kubeadm that ask a container for its kernel's configuration.
  shared_kernel = ["SystemVerification"]
}

locals {
  login = "/etc/kubernetes/kinit-login.conf"

  # Windows takes a VNI from 4096 on and the port that IANA gave to VXLAN; Linux, left
  # alone, takes 1 and 8472. All nodes must agree.
  flannel_backend = merge(
    { Type = local.pod_network == "flannel-host-gw" ? "host-gw" : "vxlan" },
    {
      for name, value in { VNI = 4096, Port = 4789 } :
      name => value if local.pod_network == "flannel-vxlan" && length(local.windows_nodes) > 0
    },
  )
}

block "container_runtime" {
  stage = "cluster"
  hosts = local.all_nodes

  # The cluster's registry is where images come from.
  task "directory" "registries" {
    path = "/etc/containerd/certs.d/_default"
    mode = "0755"
  }

  task "copy" "registry_ca" {
    dest       = "/etc/containerd/certs.d/kinit-ca.crt"
    content    = task.x509_ca.cluster.cert_pem
    mode       = "0644"
    depends_on = [task.directory.registries]
  }

  task "copy" "registry_hosts" {
    dest = "/etc/containerd/certs.d/_default/hosts.toml"
    content_secret = templatefile("files/hosts.toml", {
      registry = local.registry, user = "nodes", password = task.secret.registry_nodes.value
    })
    mode       = "0600"
    depends_on = [task.directory.registries]
  }

  task "copy" "containerd" {
    dest = "/etc/containerd/config.toml"
    content = templatefile("files/containerd.toml", {
      cluster = local.cluster_names
      pause_image = (
        local.pause_image != ""
        ? local.pause_image
        : try(regex("\\S+/pause:\\S+", task.command.images.stdout), "")
      )
      systemd = task.facts.node[host.name].cgroups == 2, container = task.facts.node[host.name].container != ""
    })
    backup     = true
    mode       = "0644"
    depends_on = [task.directory.registries]
  }

  task "command" "cni" {
    argv       = ["sh", "-c", file("files/cni.sh"), "cni", "link", local.cni_folder]
    unless     = ["sh", "-c", file("files/cni.sh"), "cni", "check", local.cni_folder]
    depends_on = [task.unarchive.runtime]
  }

  task "service" "containerd" {
    name    = "containerd.service"
    enabled = true
    state   = "started"
    restart_on = concat(
      [task.copy.containerd[host.name].sha256],
      [for name, unit in task.copy.containerd_unit : unit.sha256 if name == host.name],
      [for key, release in task.unarchive.runtime : release.sha256 if key == "${host.name}/containerd"],
    )
    depends_on = [task.command.cni]
  }
}

# The binaries, from the release site or in the image already. Nodes that were upgraded have them.
task "download" "kubernetes" {
  stage = "cluster"
  when  = !var.kubernetes_preinstalled && !contains(local.nodes_to_upgrade, each.value.node)
  for_each = {
    for pair in setproduct(local.all_nodes, ["kubeadm", "kubelet", "kubectl"]) :
    "${pair[0]}/${pair[1]}" => { node = pair[0], name = pair[1] }
  }
  host       = each.value.node
  url        = local.kubernetes_programs[each.value.name].url
  sha256     = local.kubernetes_programs[each.value.name].sha256
  sha512     = local.kubernetes_programs[each.value.name].sha512
  sha256_url = local.kubernetes_programs[each.value.name].sha256_url
  unverified = contains(local.kubernetes_unverified, each.value.name)
  dest       = "/usr/bin/${each.value.name}"
  mode       = "0755"
  timeout    = "20m"
  advice = fold(<<-EOT
    Nodes fetch the programs of Kubernetes by themselves. The variable ${local.release_url} names another site with
    the same layout.
    EOT
  )
}

block "kubelets" {
  stage = "cluster"
  hosts = local.all_nodes

  task "command" "kubernetes_version" {
    when       = !contains(local.nodes_to_upgrade, host.name)
    argv       = ["kubeadm", "version", "--output", "short"]
    read_only  = true
    expect     = "^${local.release_reports}\\s*$"
    depends_on = [task.download.kubernetes]
  }

  # kubeadm starts the kubelet when there is something for it to read. systemd reads the unit and
  # what is beside it at once.
  task "copy" "kubelet_unit" {
    dest       = "/etc/systemd/system/kubelet.service"
    content    = file("files/kubelet.service")
    mode       = "0644"
    depends_on = [task.command.kubernetes_version]
  }

  task "service" "kubelet" {
    name       = "kubelet.service"
    enabled    = true
    depends_on = [task.copy.kubelet_unit, task.copy.kubelet]
  }

  task "directory" "kubelet" {
    path = "/etc/systemd/system/kubelet.service.d"
    mode = "0755"
  }

  task "copy" "kubelet" {
    dest       = "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf"
    content    = file("files/kubelet-kubeadm.conf")
    mode       = "0644"
    depends_on = [task.directory.kubelet]
  }
}

# Windows nodes join with a token.
task "secret" "token" {
  stage      = "network"
  when       = local.has_windows
  host       = local.first_hypervisor
  path       = "${local.cluster_folder}/kubernetes-token"
  format     = "token"
  depends_on = [task.directory.root]
}

# kubeadm merges these into the pods that it writes.
locals {
  patches = "/etc/kubernetes/kinit-patches"
  patch_files = {
    for pair in setproduct([for c in local.controllers : c.name], [
      "kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd",
    ]) :
    "${pair[0]}/${pair[1]}" => { node = pair[0], component = pair[1] }
  }
}

block "patches" {
  stage = "cluster"
  hosts = local.all_nodes

  task "directory" "patches" {
    path = local.patches
    mode = "0700"
  }

  # What differs from node to node in the configuration of its kubelet. A node that is a
  # container sees all memory and processors of its hypervisor; what is not its own is
  # reserved. Its disk is the hypervisor's to watch.
  task "copy" "kubelet_patch" {
    dest = "${local.patches}/kubeletconfiguration+strategic.yaml"
    content = yamlencode(merge(
      { cgroupDriver = task.facts.node[host.name].cgroups == 2 ? "systemd" : "cgroupfs" },
      jsondecode(templatefile("../kubernetes/files/kubelet.json", {
        facts = task.facts.node[host.name]
        node  = cluster.nodes[host.name]
      })),
      local.kubelets[host.name],
    ))
    mode       = "0600"
    depends_on = [task.directory.patches]
  }

  task "copy" "patches" {
    for_each = local.patch_files
    host     = each.value.node
    dest     = "${local.patches}/${each.value.component}+strategic.json"
    content = jsonencode({ spec = { containers = [merge(
      { name = each.value.component, livenessProbe = { failureThreshold = local.liveness_failures } },
      # kubeadm asks the controller manager only whether it lives.
      each.value.component == "kube-controller-manager" ? {} : {
        readinessProbe = { periodSeconds = local.readiness_period }
      },
    )] } })
    mode       = "0600"
    depends_on = [task.directory.patches]
  }
}

locals {
  # kubeadm names the components its own way, and wants etcd's variables a level deeper.
  environment = { for component, variables in local.component_environment : component => {
    extraEnvs = [for name, value in variables : { name = name, value = value }]
  } }
  component_env = merge(
    { for component, name in {
      apiserver          = "apiServer"
      controller_manager = "controllerManager"
      scheduler          = "scheduler"
      } :
    name => local.environment[component] if can(local.environment[component]) },
    {
      for name in can(local.environment.etcd) || length(local.release_etcd) > 0 ? ["etcd"] : [] :
      name => { local = merge(try(local.environment.etcd, {}), local.release_etcd) }
    },
  )
  # Keys on an elliptic curve: kubeadm makes a dozen, and one signs each handshake; an
  # RSA key of 2048 bits takes a hundred times as long to make and ten times to sign with.
  # The table of connections is the kernel's, which a container shares: its size stays.
  kube_proxy = { conntrack = { maxPerCore = 0, min = 0, tcpEstablishedTimeout = "0s", tcpCloseWaitTimeout = "0s" } }
  kubeadm_init = {
    ClusterConfiguration = merge(local.component_env, local.release_configuration, {
      encryptionAlgorithm = "ECDSA-P256"
    })
  }
}

# What kubeadm makes a cluster of, and an upgrade gives to one that exists.
task "kubeadm_config" "init" {
  stage                  = "upgrade"
  host                   = local.first_node
  path                   = local.init_config
  kind                   = "init"
  node_name              = local.first_node
  advertise_address      = cluster.nodes[local.first_node].ip
  control_plane_endpoint = "${local.api}:${local.api_port}"
  kubernetes_version     = local.kubernetes_version
  token_ttl              = "1m" # Unused: nodes join with certificates.
  pod_subnet             = var.pod_cidr
  service_subnet         = var.service_cidr
  cert_sans = concat([local.api, "api-int.${cluster.domain}", local.services_address, "127.0.0.1"], [
    for h in local.hypervisors :
    task.facts.underlay[h].route_address
  ])
  extra_args = merge(local.component_args, local.network_args, local.node_args[local.first_node])
  merge      = local.kubeadm_init
  patches    = local.patches
  timeouts = {
    controlPlaneComponentHealthCheck = var.cluster_timeout
    kubernetesAPICall                = "3m"
    tlsBootstrap                     = var.cluster_timeout
    kubeletHealthCheck               = var.cluster_timeout
  }
  kubelet    = { cgroupDriver = "systemd" }
  kube_proxy = local.kube_proxy
}

block "first_controller" {
  stage = "cluster"
  host  = local.first_node

  task "kubeadm_init" "first" {
    config = local.init_config
    ignore_preflight = concat(
      var.ignore_preflight,
      task.facts.node[host.name].container == "" ? [] : local.shared_kernel,
      local.restores ? ["DirAvailable--var-lib-etcd"] : [],
    )
    pki = merge({ for name in local.backed_pki : name => var.restore_texts["pki/${name}"] }, {
      "ca.crt" = task.x509_ca.kubernetes.cert_pem
      "ca.key" = task.x509_ca.kubernetes.key_pem
    })
    prepare = local.restores ? [
      "sh", "-c", file("files/etcd-restore.sh"), "etcd-restore", local.snapshot, local.first_node,
      cluster.nodes[local.first_node].ip, local.init_config,
    ] : []
    timeout = var.cluster_timeout
    depends_on = [
      task.service.containerd[local.first_node], task.service.kubelet[local.first_node],
      task.copy.kubelet[local.first_node],
      task.sysctl.node, task.copy.registry_ca[local.first_node], task.copy.registry_hosts[local.first_node],
      task.kubeadm_config.init, task.command.push, task.copy.patches, task.copy.kubelet_patch[local.first_node],
      task.command.alone, task.backup_part.snapshot,
    ]

    # One that was too slow goes on where it was.
    retry {
      attempts = 4
      delay    = "10s"
    }
  }

  # What all controllers have in common, and the first one has made.
  task "command" "shared_pki" {
    for_each = toset(length(local.other_controllers) == 0 ? [] : [
      "sa.key", "sa.pub", "front-proxy-ca.crt", "front-proxy-ca.key", "etcd/ca.crt", "etcd/ca.key",
    ])
    argv       = ["cat", "/etc/kubernetes/pki/${each.key}"]
    read_only  = true
    sensitive  = true
    depends_on = [task.kubeadm_init.first]
  }
}

# Further nodes.
task "kubeadm_config" "join" {
  stage                  = "cluster"
  for_each               = { for name, n in local.linux_nodes : name => n if name != local.first_node }
  host                   = each.key
  path                   = "/etc/kubernetes/kinit-join.yaml"
  kind                   = "join"
  node_name              = each.key
  advertise_address      = each.value.ip
  control_plane          = each.value.pool == "controller"
  control_plane_endpoint = "${local.api}:${local.api_port}"
  kubernetes_version     = local.kubernetes_version
  discovery_file         = local.login
  extra_args             = local.node_args[each.key]
  patches                = local.patches
  timeouts = {
    kubernetesAPICall  = "3m"
    tlsBootstrap       = var.cluster_timeout
    discovery          = var.cluster_timeout
    kubeletHealthCheck = var.cluster_timeout
  }
}

# While all of a new cluster is made, its controllers join at the same time, which takes less time. In a cluster that
# people use they join one after the other: etcd takes in one member at a time, and the API is away for less long.
block "controllers" {
  stage  = "cluster"
  serial = length(cluster.existing) > 0 ? 1 : "100%"

  task "kubeadm_join" "controller" {
    for_each = toset(local.other_controllers)
    host     = each.key
    config   = task.kubeadm_config.join[each.key].path
    ignore_preflight = concat(
      var.ignore_preflight,
      task.facts.node[host.name].container == "" ? [] : local.shared_kernel,
    )
    timeout = var.cluster_timeout
    pki = merge({ for name, file in task.command.shared_pki : name => file.stdout }, {
      "ca.crt" = task.x509_ca.kubernetes.cert_pem
      "ca.key" = task.x509_ca.kubernetes.key_pem
    })

    login {
      file    = local.login
      server  = local.api_url
      ca_cert = task.x509_ca.kubernetes.cert_pem
      ca_key  = task.x509_ca.kubernetes.key_pem
    }

    depends_on = [
      task.kubeadm_init.first, task.command.restored_node, task.copy.patches, task.copy.kubelet_patch[each.key],
      task.service.containerd[each.key], task.service.kubelet[each.key], task.copy.kubelet[each.key],
      task.sysctl.node,
    ]

    retry {
      attempts = 3
      delay    = "10s"
    }
  }
}

# The network between pods; its MTU follows from the guests' by flannel itself.
task "kubectl_apply" "flannel" {
  stage      = "cluster"
  when       = startswith(local.pod_network, "flannel-")
  host       = local.first_node
  kubeconfig = "/etc/kubernetes/admin.conf"
  content = templatefile("files/flannel.yaml", {
    cluster  = local.cluster_names
    api      = local.services_address
    port     = local.api_port
    images   = local.flannel_images
    windows  = length(local.windows_nodes) > 0
    net_conf = { Network = var.pod_cidr, EnableNFTables = false, Backend = local.flannel_backend }
  })
  depends_on = [task.kubeadm_init.first]
}

# Images go to the cluster's registry on the hypervisor, whose processor is real.
task "command" "push" {
  stage = "services"
  hosts = local.services_hosts
  argv = concat(local.push.push, [
    for name in try(split("\n", trimspace(task.command.images.stdout)), []) :
    "docker://${name}=${replace(name, "/^[^/]*\\//", "")}"
  ])
  unless = concat(local.push.check, [
    for name in try(split("\n", trimspace(task.command.images.stdout)), []) :
    "docker://${name}=${replace(name, "/^[^/]*\\//", "")}"
  ])
  timeout    = "30m"
  advice     = local.push_advice
  depends_on = [task.copy.registry_client_ca, task.copy.registry_auth, task.copy.registry_curl, task.command.login]
}
