# cluster: container runtime on every node, the first controller, the others, the
# network between pods.

locals {
  # Debian packages that Kubernetes needs on a node, for drivers to bring.
  node_packages = concat(local.runtime_packages, ["iptables", "nftables", "conntrack", "ethtool", "socat", "ipset", "ebtables"])
  # Addresses of services mean something in the cluster alone: a port that a service does not
  # have, which kube-proxy lets pass, must not be looked for in another network.
  inside_networks = [var.service_cidr]
  # Pods ask the name server too.
  pod_networks = [var.pod_cidr]
  # Their packets are on the nodes' network as they are, where no tunnel carries them.
  routed_networks = local.pod_network == "flannel-host-gw" ? [var.pod_cidr] : []
  # Modules of the kernel, each with a file that is there when the kernel has it.
  kernel_modules = {
    overlay      = "/sys/module/overlay"
    br_netfilter = "/proc/sys/net/bridge/bridge-nf-call-iptables"
  }
  # How a machine that stays leaves the cluster.
  leave_script = "${file("files/leave.sh")}${local.runtime_upstream ? file("files/leave-runtime.sh") : ""}"
  # Emulated processors are slow: probes and heartbeats get more time there, programs keep to
  # one processor, and the leases of a single controller need no election.
  liveness_failures = coalesce(var.liveness_failures, local.emulated ? 60 : 8)
  readiness_period  = coalesce(var.readiness_period, local.emulated ? 15 : 1)
  component_environment = merge(
    { for name in local.emulated ? ["apiserver", "controller_manager", "scheduler", "etcd"] : [] : name => { GOMAXPROCS = "1" } },
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
  # Checks of kubeadm that ask a container for its kernel's configuration.
  shared_kernel = ["SystemVerification"]
}

locals {
  api     = "api.${cluster.domain}"
  api_url = "https://api.${cluster.domain}:${local.api_port}"

  # The port of the services' hypervisor that leads to the API servers.
  outside_port = [for outside, inside in var.published_ports : outside if inside == 6443][0]

  login      = "/etc/kubernetes/kinit-login.conf"
  first_node = local.controllers[0].name
  others     = [for c in slice(local.controllers, 1, length(local.controllers)) : c.name]
  all_nodes  = keys(local.linux_nodes)

  # What carries packets between pods: the spec says it in the cluster's vars, or a
  # variable for all.
  pod_network = lookup(cluster.vars, "pod_network", var.pod_network)

  # Windows takes a VNI from 4096 on and the port that IANA gave to VXLAN; Linux, left
  # alone, takes 1 and 8472. All nodes must agree.
  flannel_backend = merge(
    { Type = local.pod_network == "flannel-host-gw" ? "host-gw" : "vxlan" },
    { for name, value in { VNI = 4096, Port = 4789 } : name => value if local.pod_network == "flannel-vxlan" && length(local.windows_nodes) > 0 },
  )
}

# What a node is decides how its services divide it: one that is a container shares its
# hypervisor's kernel, and control groups of version 1 are not for systemd to manage there.
task "facts" "node" {
  stage = "nodes"
  hosts = local.all_nodes
}

# What every further task on a node stands on: the kernel's part.
task "copy" "modules" {
  stage   = "cluster"
  hosts   = local.all_nodes
  dest    = "/etc/modules-load.d/kinit.conf"
  content = "overlay\nbr_netfilter\n"
}

task "command" "modules" {
  stage      = "cluster"
  hosts      = local.all_nodes
  argv       = ["modprobe", "-a", "overlay", "br_netfilter"]
  creates    = "/proc/sys/net/bridge/bridge-nf-call-iptables"
  depends_on = [task.copy.modules]
}

task "sysctl" "node" {
  stage = "cluster"
  for_each = {
    for pair in setproduct(local.all_nodes, ["net.ipv4.ip_forward", "net.bridge.bridge-nf-call-iptables"]) :
    "${pair[0]}/${pair[1]}" => { node = pair[0], name = pair[1] }
  }
  host       = each.value.node
  name       = each.value.name
  value      = "1"
  depends_on = [task.command.modules]
}

# The cluster's registry is where images come from.
task "directory" "registries" {
  stage = "cluster"
  hosts = local.all_nodes
  path  = "/etc/containerd/certs.d/_default"
  mode  = "0755"
}

task "copy" "registry_ca" {
  stage      = "cluster"
  hosts      = local.all_nodes
  dest       = "/etc/containerd/certs.d/kinit-ca.crt"
  content    = task.x509_ca.cluster.cert_pem
  mode       = "0644"
  depends_on = [task.directory.registries]
}

task "copy" "registry_hosts" {
  stage = "cluster"
  hosts = local.all_nodes
  dest  = "/etc/containerd/certs.d/_default/hosts.toml"
  content_secret = templatefile("files/hosts.toml", {
    registry = local.registry, user = "nodes", password = task.secret.registry_nodes.value
  })
  mode       = "0600"
  depends_on = [task.directory.registries]
}

task "copy" "containerd" {
  stage = "cluster"
  hosts = local.all_nodes
  dest  = "/etc/containerd/config.toml"
  content = templatefile("files/containerd.toml", {
    cluster = local.title, pause_image = local.pause_image != "" ? local.pause_image : try(regex("\\S+/pause:\\S+", task.command.images.stdout), "")
    systemd = task.facts.node[host.name].cgroups == 2, container = task.facts.node[host.name].container != ""
  })
  backup     = true
  mode       = "0644"
  depends_on = [task.directory.registries]
}

task "command" "cni" {
  stage      = "cluster"
  hosts      = local.all_nodes
  argv       = ["sh", "-c", file("files/cni.sh"), "cni", "link", local.cni_folder]
  unless     = ["sh", "-c", file("files/cni.sh"), "cni", "check", local.cni_folder]
  depends_on = [task.unarchive.runtime]
}

task "service" "containerd" {
  stage   = "cluster"
  hosts   = local.all_nodes
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

# The binaries, from the release site or in the image already.
task "download" "kubernetes" {
  stage = "cluster"
  when  = !var.kubernetes_preinstalled
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
  advice     = "Nodes fetch the programs of Kubernetes by themselves. The variable ${local.release_url} names another site with the same layout."
}

task "command" "kubernetes_version" {
  stage      = "cluster"
  hosts      = local.all_nodes
  argv       = ["kubeadm", "version", "--output", "short"]
  read_only  = true
  expect     = "^${local.release_reports}\\s*$"
  depends_on = [task.download.kubernetes]
}

# kubeadm starts the kubelet when there is something for it to read. systemd reads the unit and
# what is beside it at once.
task "copy" "kubelet_unit" {
  stage      = "cluster"
  hosts      = local.all_nodes
  dest       = "/etc/systemd/system/kubelet.service"
  content    = file("files/kubelet.service")
  mode       = "0644"
  depends_on = [task.command.kubernetes_version]
}

task "service" "kubelet" {
  stage      = "cluster"
  hosts      = local.all_nodes
  name       = "kubelet.service"
  enabled    = true
  depends_on = [task.copy.kubelet_unit, task.copy.kubelet]
}

task "directory" "kubelet" {
  stage = "cluster"
  hosts = local.all_nodes
  path  = "/etc/systemd/system/kubelet.service.d"
  mode  = "0755"
}

task "copy" "kubelet" {
  stage      = "cluster"
  hosts      = local.all_nodes
  dest       = "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf"
  content    = file("files/kubelet-kubeadm.conf")
  mode       = "0644"
  depends_on = [task.directory.kubelet]
}

# The authority is made beforehand, so that joining parses nobody's output and all nodes
# join at the same time. Each joins with a certificate that is made for it and for two hours.
task "x509_ca" "kubernetes" {
  stage      = "network"
  host       = local.first
  key        = "${local.root}/pki/kubernetes.key"
  cert       = "${local.root}/pki/kubernetes.crt"
  cn         = "kubernetes"
  depends_on = [task.directory.pki]
}

# Windows nodes join with a token.
task "secret" "token" {
  stage      = "network"
  when       = local.has_windows
  host       = local.first
  path       = "${local.root}/kubernetes-token"
  format     = "token"
  depends_on = [task.directory.root]
}

# Who administers the cluster: a certificate of the same authority, so that the
# kubeconfig needs nothing from the nodes.
task "x509_certificate" "admin" {
  stage         = "network"
  host          = local.first
  key           = "${local.root}/pki/admin.key"
  cert          = "${local.root}/pki/admin.crt"
  ca_cert       = task.x509_ca.kubernetes.cert
  ca_key        = task.x509_ca.kubernetes.key
  cn            = "kinit-admin"
  organizations = ["system:masters"]
  usages        = ["client"]
  type          = "rsa"
}

# kubeadm merges these into the pods that it writes.
locals {
  patches = "/etc/kubernetes/kinit-patches"
  patch_files = {
    for pair in setproduct([for c in local.controllers : c.name], ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd"]) :
    "${pair[0]}/${pair[1]}" => { node = pair[0], component = pair[1] }
  }
}

task "directory" "patches" {
  stage = "cluster"
  hosts = local.all_nodes
  path  = local.patches
  mode  = "0700"
}

# What differs from node to node in the configuration of its kubelet. A node that is a
# container sees all memory and processors of its hypervisor; what is not its own is
# reserved. Its disk is the hypervisor's to watch.
task "copy" "kubelet_patch" {
  stage = "cluster"
  hosts = local.all_nodes
  dest  = "${local.patches}/kubeletconfiguration+strategic.yaml"
  content = yamlencode(merge(
    { cgroupDriver = task.facts.node[host.name].cgroups == 2 ? "systemd" : "cgroupfs" },
    { for name in ["failCgroupV1"] : name => false if task.facts.node[host.name].cgroups < 2 },
    { for name, value in {
      systemReserved = {
        memory = tostring(max(0, task.facts.node[host.name].memory_bytes - cluster.nodes[host.name].memory_bytes))
        cpu    = tostring(max(0, task.facts.node[host.name].cpus - cluster.nodes[host.name].vcpus))
      }
      imageGCHighThresholdPercent = 100
      evictionHard = {
        "memory.available" = "100Mi", "nodefs.available" = "0%", "nodefs.inodesFree" = "0%", "imagefs.available" = "0%", "imagefs.inodesFree" = "0%"
      }
    } : name => value if task.facts.node[host.name].container != "" },
    local.kubelets[host.name],
  ))
  mode       = "0600"
  depends_on = [task.directory.patches]
}

task "copy" "patches" {
  stage    = "cluster"
  for_each = local.patch_files
  host     = each.value.node
  dest     = "${local.patches}/${each.value.component}+strategic.json"
  content = jsonencode({ spec = { containers = [merge(
    { name = each.value.component, livenessProbe = { failureThreshold = local.liveness_failures } },
    # kubeadm asks the controller manager only whether it lives.
    each.value.component == "kube-controller-manager" ? {} : { readinessProbe = { periodSeconds = local.readiness_period } },
  )] } })
  mode       = "0600"
  depends_on = [task.directory.patches]
}

locals {
  # kubeadm names the components its own way, and wants etcd's variables a level deeper.
  environment = { for component, variables in local.component_environment : component => {
    extraEnvs = [for name, value in variables : { name = name, value = value }]
  } }
  component_env = merge(
    { for component, name in { apiserver = "apiServer", controller_manager = "controllerManager", scheduler = "scheduler" } :
    name => local.environment[component] if can(local.environment[component]) },
    { for name in can(local.environment.etcd) || length(local.release_etcd) > 0 ? ["etcd"] : [] : name => { local = merge(try(local.environment.etcd, {}), local.release_etcd) } },
  )
  # Keys on an elliptic curve: kubeadm makes a dozen, and one signs each handshake; an
  # RSA key of 2048 bits takes a hundred times as long to make and ten times to sign with.
  # The table of connections is the kernel's, which a container shares: its size stays.
  kube_proxy   = { conntrack = { maxPerCore = 0, min = 0, tcpEstablishedTimeout = "0s", tcpCloseWaitTimeout = "0s" } }
  kubeadm_init = { ClusterConfiguration = merge(local.component_env, local.release_configuration, { encryptionAlgorithm = "ECDSA-P256" }) }
}

task "kubeadm_config" "init" {
  stage                  = "cluster"
  host                   = local.first_node
  path                   = "/etc/kubernetes/kinit-init.yaml"
  kind                   = "init"
  node_name              = local.first_node
  advertise_address      = local.controllers[0].ip
  control_plane_endpoint = "${local.api}:${local.api_port}"
  kubernetes_version     = local.kubernetes_version
  token_ttl              = "1m" # Nobody joins with it.
  pod_subnet             = var.pod_cidr
  service_subnet         = var.service_cidr
  cert_sans              = concat([local.api, "api-int.${cluster.domain}", local.services.ip, local.services_address, "127.0.0.1"], [for h in local.hypervisors : task.facts.underlay[h].route_address])
  extra_args             = merge(local.component_args, local.node_args[local.first_node])
  merge                  = local.kubeadm_init
  patches                = local.patches
  timeouts               = { controlPlaneComponentHealthCheck = var.cluster_timeout, kubernetesAPICall = "3m", tlsBootstrap = var.cluster_timeout, kubeletHealthCheck = var.cluster_timeout }
  kubelet                = { cgroupDriver = "systemd" }
  kube_proxy             = local.kube_proxy
}

task "kubeadm_init" "first" {
  stage            = "cluster"
  host             = local.first_node
  config           = task.kubeadm_config.init.path
  ignore_preflight = concat(var.ignore_preflight, task.facts.node[host.name].container == "" ? [] : local.shared_kernel)
  pki = {
    "ca.crt" = task.x509_ca.kubernetes.cert_pem
    "ca.key" = task.x509_ca.kubernetes.key_pem
  }
  timeout = var.cluster_timeout
  depends_on = [
    task.service.containerd[local.first_node], task.service.kubelet[local.first_node], task.copy.kubelet[local.first_node],
    task.sysctl.node, task.copy.registry_ca[local.first_node], task.copy.registry_hosts[local.first_node],
    task.command.push, task.copy.patches, task.copy.kubelet_patch[local.first_node],
  ]

  # One that was too slow goes on where it was.
  retry {
    attempts = 4
    delay    = "10s"
  }
}

# What all controllers have in common, and the first one has made.
task "command" "shared_pki" {
  stage      = "cluster"
  for_each   = toset(length(local.others) == 0 ? [] : ["sa.key", "sa.pub", "front-proxy-ca.crt", "front-proxy-ca.key", "etcd/ca.crt", "etcd/ca.key"])
  host       = local.first_node
  argv       = ["cat", "/etc/kubernetes/pki/${each.key}"]
  read_only  = true
  sensitive  = true
  depends_on = [task.kubeadm_init.first]
}

# Further controllers, one after the other: etcd takes in one member at a time.
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
  timeouts               = { kubernetesAPICall = "3m", tlsBootstrap = var.cluster_timeout, discovery = var.cluster_timeout, kubeletHealthCheck = var.cluster_timeout }
}

task "kubeadm_join" "controller" {
  stage            = "cluster"
  for_each         = toset(local.others)
  host             = each.key
  config           = task.kubeadm_config.join[each.key].path
  ignore_preflight = concat(var.ignore_preflight, task.facts.node[host.name].container == "" ? [] : local.shared_kernel)
  timeout          = var.cluster_timeout
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

  depends_on = [task.kubeadm_init.first, task.copy.patches, task.copy.kubelet_patch[each.key], task.service.containerd[each.key], task.service.kubelet[each.key], task.copy.kubelet[each.key], task.sysctl.node]

  retry {
    attempts = 3
    delay    = "10s"
  }
}

# The network between pods; its MTU follows from the guests' by flannel itself.
task "kubectl_apply" "flannel" {
  stage      = "cluster"
  when       = startswith(local.pod_network, "flannel-")
  host       = local.first_node
  kubeconfig = "/etc/kubernetes/admin.conf"
  content = templatefile("files/flannel.yaml", {
    cluster  = local.title
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
  host  = local.services.hypervisor
  argv = concat(
    ["sh", "-c", file("files/push.sh"), "push", "push", local.registry_local, "${local.root}/registry-client"],
    local.pushed,
    [for name in try(split("\n", trimspace(task.command.images.stdout)), []) : "docker://${name}=${replace(name, "/^[^/]*\\//", "")}"],
  )
  unless = concat(
    ["sh", "-c", file("files/push.sh"), "push", "check", local.registry_local, "${local.root}/registry-client"],
    local.pushed,
    [for name in try(split("\n", trimspace(task.command.images.stdout)), []) : "docker://${name}=${replace(name, "/^[^/]*\\//", "")}"],
  )
  timeout    = "30m"
  advice     = "The services' hypervisor fetches these images. The variable image_mirrors names other places of their registries, registry_logins who may pull there, and container_images other images."
  depends_on = [task.copy.registry_client_ca, task.copy.registry_auth, task.copy.registry_curl, task.command.login]
}

task "directory" "registry_client" {
  stage      = "services"
  host       = local.services.hypervisor
  path       = "${local.root}/registry-client"
  mode       = "0700"
  depends_on = [task.directory.root]
}

task "copy" "registry_client_ca" {
  stage      = "services"
  host       = local.services.hypervisor
  dest       = "${local.root}/registry-client/ca.crt"
  content    = task.x509_ca.cluster.cert_pem
  depends_on = [task.directory.registry_client]
}

task "copy" "registry_auth" {
  stage = "services"
  host  = local.services.hypervisor
  dest  = "${local.root}/registry-client/auth.json"
  content_secret = jsonencode({
    auths = merge(
      { for registry, login in var.registry_logins : registry => { auth = base64encode("${login.user}:${login.password}") } },
      { (local.registry_local) = { auth = base64encode("kinit:${task.secret.registry_password.value}") } },
    )
  })
  mode       = "0600"
  depends_on = [task.directory.registry_client]
}

task "copy" "registry_curl" {
  stage          = "services"
  host           = local.services.hypervisor
  dest           = "${local.root}/registry-client/curl.conf"
  content_secret = "user = \"kinit:${task.secret.registry_password.value}\"\nheader = \"Accept: application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.v2+json, application/vnd.docker.distribution.manifest.list.v2+json\"\n"
  mode           = "0600"
  depends_on     = [task.directory.registry_client]
}

output "kubeconfig" {
  sensitive = true
  value = templatefile("files/kubeconfig.yaml", {
    cluster = local.title, api = local.api
    # From outside the load balancer answers on its hypervisor; the name in the
    # certificate is the cluster's own.
    server      = "https://${task.facts.underlay[local.services.hypervisor].route_address}:${local.outside_port}"
    ca          = task.x509_ca.kubernetes.cert_pem
    certificate = task.x509_certificate.admin.cert_pem
    key         = task.x509_certificate.admin.key_pem
  })
}
