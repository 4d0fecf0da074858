# windows: what makes a guest or a machine with Windows a compute node. Nothing of it is planned when no
# pool has Windows.

variable "windows_payloads" {
  type = map(object({
    url        = string
    sha256     = optional(string, "")
    sha512     = optional(string, "")
    sha256_url = optional(string, "")
    sha512_url = optional(string, "")
  }))
  default = {}
  description = fold(<<-EOT
    Where Windows nodes' programs come from, in place of the defaults: kubernetes, containerd, crictl, flannel, cni.
    EOT
  )
}

variable "windows_pause_image" {
  type    = string
  default = null
  description = fold(<<-EOT
    The pause image of Windows nodes; the pinned one where it is not said. It must have their build of Windows among
    its platforms: 3.10.2 is the first with Server 2025.
    EOT
  )
}

locals {
  # That of Linux nodes may be older, and then has no Server 2025.
  windows_pause_named = var.windows_pause_image != null ? var.windows_pause_image : var.pause_image
  windows_pause_image = coalesce(local.windows_pause_named, local.tagged.windows_pause)
  windows_images      = local.has_windows ? [local.windows_pause_image] : []

  # The version of a pause image of Kubernetes as one number, such as 3010002; 0 for another image.
  windows_pause_version = try(sum([
    for i, part in split(".", regex("/pause:([0-9]+\\.[0-9]+(?:\\.[0-9]+)?)$", local.windows_pause_image)[0]) :
    tonumber(part) * pow(1000, 2 - i)
  ]), 0)
  windows_2025 = [for name, node in local.windows_nodes : name if node.os == "windows-2025"]

  # Direct server return is on by default from Kubernetes 1.33 on; before, kube-proxy refuses the flag without a
  # feature gate. Server 2019 needs an update for it (KB4580390), which its medium does not have.
  windows_dsr = {
    for name, node in local.windows_nodes : name => local.windows_minor >= 33 && node.os != "windows-2019"
  }

  # The services pod keeps the programs; each node takes them from there.
  payload_pins = {
    kubernetes = local.windows_pin, containerd = "windows_containerd", crictl = "windows_crictl"
    flannel    = "windows_flannel", cni_flannel = "windows_cni_flannel", cni = "windows_cni"
  }

  # What is said in the variable counts more, payload by payload.
  payload_defaults = merge({ for name, pin in local.payload_pins : name => local.downloads[pin] }, {
    kubernetes = local.kubernetes_windows
  })
  payloads = local.has_windows ? {
    for name, payload in local.payload_defaults :
    name => lookup(var.windows_payloads, name, payload)
  } : {}

  # The version of Kubernetes in the address of Windows nodes' programs, "" where it has none.
  windows_version = try(
    regex("v1\\.[0-9]+\\.[0-9]+", lookup(var.windows_payloads, "kubernetes", local.kubernetes_windows).url),
    "",
  )
  windows_minor = try(tonumber(split(".", local.windows_version)[1]), local.kubernetes_minor)
}

locals {
  # Where each archive is unpacked, how many leading folders are left out, the file that shows that it was, and
  # what runs its programs, in the order in which it stops.
  payload_archive = { strip = 0, members = [], services = [], tasks = [] }
  payload_places = {
    kubernetes = merge(local.payload_archive, {
      folder   = "C:/k"
      strip    = 3
      members  = ["kubernetes/node/bin"]
      shows    = "C:/k/kubelet.exe"
      services = ["kube-proxy", "kubelet"]
      tasks    = ["flanneld"] # kube-log-runner.exe starts it
    })
    containerd = merge(local.payload_archive, {
      folder   = "C:/Program Files/containerd"
      strip    = 1
      shows    = "C:/Program Files/containerd/containerd.exe"
      services = ["kubelet", "containerd"]
    })
    crictl  = merge(local.payload_archive, { folder = "C:/k", shows = "C:/k/crictl.exe" })
    flannel = merge(local.payload_archive, { folder = "C:/k", shows = "C:/k/flanneld.exe", tasks = ["flanneld"] })
    cni_flannel = merge(local.payload_archive, {
      folder = "C:/opt/cni/bin"
      shows  = "C:/opt/cni/bin/flannel-amd64.exe"
    })
    cni = merge(local.payload_archive, { folder = "C:/opt/cni/bin", shows = "C:/opt/cni/bin/host-local.exe" })
  }

  # Flannel names its network after the VNI; a bridge has the name that it is given.
  windows_network = local.pod_network == "flannel-host-gw" ? "cbr0" : "flannel.4096"
  windows_cni     = local.pod_network == "flannel-host-gw" ? "win-bridge" : "win-overlay"

  # The configuration of the plugins that give pods their network. Its delegate is for version 2 of the Host Compute
  # Network API, the only one that has the namespaces containerd gives pods.
  windows_cni_configs = {
    for name in local.flannel_windows : name => templatefile("files/windows-cni.json", {
      network  = local.windows_network, plugin = local.windows_cni, address = local.windows_nodes[name].ip,
      pod_cidr = var.pod_cidr, service_cidr = var.service_cidr
    })
  }

  windows_payload_nodes = {
    for pair in setproduct(local.windows_names, keys(local.payloads)) :
    "${pair[0]}/${pair[1]}" => { node = pair[0], payload = pair[1] }
  }
}

# What can be said before any host is asked.
task "assert" "windows_nodes" {
  stage = "validate"
  when  = local.build && local.has_windows
  early = true

  condition {
    holds = alltrue([for c in local.controllers : !startswith(c.os, "windows")])
    message = fold(<<-EOT
      Controllers run Linux: Kubernetes has no control plane for Windows. Take
      ${join(", ", [for c in local.controllers : c.name if startswith(c.os, "windows")])} out of the pool
      "controller", and name it in another one.
      EOT
    )
  }

  condition {
    holds = (
      local.kubernetes_minor < 0 ||
      local.windows_minor <= local.kubernetes_minor && local.windows_minor >= local.kubernetes_minor - 3
    )
    message = fold(<<-EOT
      Windows nodes have Kubernetes ${local.windows_version}, the control plane has ${local.kubernetes_version}: a
      kubelet may be up to three minor versions older and never newer. Change windows_payloads.kubernetes or
      kubernetes_version.
      EOT
    )
  }

  condition {
    holds = (
      length(local.windows_2025) == 0 || local.windows_pause_version == 0 || local.windows_pause_version >= 3010002
    )
    message = fold(<<-EOT
      ${local.windows_pause_image} has no Windows Server 2025 among its platforms, so no pod could start on
      ${join(", ", local.windows_2025)}: 3.10.2 is the first that has. Set windows_pause_image to that or a later one.
      EOT
    )
  }

  condition {
    holds = !local.calico || alltrue([for node in values(local.windows_nodes) : node.overlay])
    message = fold(<<-EOT
      Calico's operator installs itself on nodes with Windows, and kinit could not take that back from a machine that
      exists: ${join(", ", [for node in values(local.windows_nodes) : node.name if !node.overlay])}. Set pod_network
      to "flannel-vxlan".
      EOT
    )
  }

  condition {
    holds = (
      local.pod_network != "flannel-host-gw" ||
      length(local.overlay_nodes) == 0 ||
      alltrue([for node in values(local.windows_nodes) : node.overlay])
    )
    message = fold(<<-EOT
      With pod_network = "flannel-host-gw" nodes are each other's routers, so all are on one network:
      ${join(", ", [for node in values(local.windows_nodes) : node.name if !node.overlay])} is beside the overlay of
      the others. Set pod_network to "flannel-vxlan".
      EOT
    )
  }
}

locals {
  # What a machine that stays has of the cluster. "alone" is of the cluster alone, and was
  # not there before; of what else there is, what was there before stays.
  windows_leave_script = file("files/windows-leave.ps1")
  windows_traces = {
    services = ["kube-proxy", "kubelet", "containerd"]
    tasks    = ["flanneld"]
    rules    = ["kinit-kubelet", "kinit-vxlan"]
    alone = [
      "C:\\k", "C:\\Program Files\\containerd", "C:\\etc\\kubernetes", "C:\\etc\\kube-flannel", "C:\\etc\\cni",
      "C:\\opt\\cni", "C:\\run\\flannel", "C:\\sourcevip", "C:\\var\\lib\\kubelet",
    ]
    folders = [
      "C:\\ProgramData\\containerd", "C:\\usr\\libexec\\kubernetes", "C:\\var\\lib\\cni", "C:\\var\\log\\kubelet",
      "C:\\var\\log\\pods", "C:\\var\\log\\containers",
    ]
    files = ["C:\\var\\log\\flanneld.log", "C:\\var\\log\\kube-proxy.log"]
    parents = [
      "C:\\etc", "C:\\opt", "C:\\run", "C:\\usr\\libexec", "C:\\usr", "C:\\var\\lib", "C:\\var\\log", "C:\\var",
    ]
    elements  = local.windows_elements
    variables = ["NODE_NAME"]
    networks  = [local.windows_network]
    unscanned = {
      processes = [for path in local.windows_unscanned.processes : replace(path, "/", "\\")]
      folders   = [for path in local.windows_unscanned.folders : replace(path, "/", "\\")]
    }
  }

  windows_elements = ["C:\\k", "C:\\Program Files\\containerd"]
  windows_unscanned = {
    processes = [
      "C:/Program Files/containerd/containerd.exe", "C:/Program Files/containerd/ctr.exe", "C:/k/kubelet.exe",
    ]
    folders = ["C:/ProgramData/containerd"]
  }

  # The system runs what is in these, so no other user may write there.
  windows_private = ["C:/k", "C:/opt/cni/bin", "C:/etc/cni/net.d", "C:/etc/kubernetes", "C:/etc/kube-flannel"]
}

block "windows_payloads" {
  stage = "services"
  hosts = local.services_hosts

  # The services pod's file server has every program once.
  task "directory" "payloads" {
    when       = local.has_windows
    path       = "${local.service_root}/www/windows"
    mode       = "0755"
    depends_on = [task.directory.services]
  }

  task "download" "payloads" {
    for_each   = local.payloads
    url        = each.value.url
    sha256     = each.value.sha256
    sha512     = each.value.sha512
    sha256_url = each.value.sha256_url
    sha512_url = each.value.sha512_url
    unverified = "${each.value.sha256}${each.value.sha512}${each.value.sha256_url}${each.value.sha512_url}" == ""
    dest       = "${local.service_root}/www/windows/${each.key}.tar.gz"
    mode       = "0644"
    timeout    = "60m"
    depends_on = [task.directory.payloads]
  }
}

block "windows_containers" {
  stage = "cluster"
  hosts = local.windows_names

  # The feature that containers stand on; it needs a restart.
  task "win_feature" "containers" {
    names = ["Containers"]
  }

  task "win_reboot" "containers" {
    required = task.win_feature.containers[host.name].reboot_required
    within   = var.windows_boot_timeout
  }
}

task "win_file" "folder" {
  stage = "cluster"
  for_each = {
    for pair in setproduct(local.windows_names, [
      "C:/k", "C:/Program Files/containerd", "C:/ProgramData/containerd/certs.d/_default", "C:/opt/cni/bin",
      "C:/etc/cni/net.d",
      "C:/etc/kubernetes", "C:/etc/kubernetes/pki", "C:/etc/kubernetes/manifests", "C:/etc/kube-flannel",
      "C:/run/flannel",
      "C:/var/log/kubelet", "C:/var/lib/kubelet", "C:/sourcevip",
    ]) : "${pair[0]}/${pair[1]}" => { node = pair[0], path = pair[1] }
  }
  host       = each.value.node
  path       = each.value.path
  state      = "directory"
  private    = contains(local.windows_private, each.value.path)
  depends_on = [task.win_reboot.containers]
}

block "windows_system" {
  stage      = "cluster"
  hosts      = local.windows_names
  depends_on = [task.win_reboot.containers]

  # Unpacking images takes many times longer with somebody reading along.
  task "win_defender_exclusion" "containers" {
    processes = local.windows_unscanned.processes
    paths     = local.windows_unscanned.folders
  }

  task "win_env" "path" {
    name     = "PATH"
    elements = local.windows_elements
  }

  # flanneld knows its node by this.
  task "win_env" "node" {
    name  = "NODE_NAME"
    value = host.name
  }

  task "win_firewall" "kubelet" {
    name        = "kinit-kubelet"
    protocol    = "tcp"
    local_ports = ["10250"]
  }

  task "win_firewall" "vxlan" {
    when        = local.pod_network == "flannel-vxlan"
    name        = "kinit-vxlan"
    protocol    = "udp"
    local_ports = ["4789"]
  }
}

task "win_download" "payload" {
  stage      = "cluster"
  for_each   = local.windows_payload_nodes
  host       = each.value.node
  url        = "http://${local.services_address}:${local.files_port}/windows/${each.value.payload}.tar.gz"
  sha256     = task.download.payloads[local.services.hypervisor][each.value.payload].sha256
  dest       = "C:/k/${each.value.payload}.tar.gz"
  timeout    = "30m"
  depends_on = [task.win_file.folder]
}

# A further version is unpacked over the one before; the record beside the archive says
# which one that was.
task "win_powershell" "payload" {
  stage    = "cluster"
  for_each = local.windows_payload_nodes
  host     = each.value.node
  script   = file("files/windows-unpack.ps1")
  arguments = merge(local.payload_places[each.value.payload], {
    archive = task.win_download.payload[each.key].path
    sha256  = task.win_download.payload[each.key].sha256
  })
  unless  = file("files/windows-unpacked.ps1")
  timeout = "30m"
}

block "windows_files" {
  stage      = "cluster"
  hosts      = local.windows_names
  depends_on = [task.win_file.folder]

  task "win_copy" "containerd" {
    dest = "C:/Program Files/containerd/config.toml"
    content = templatefile("files/windows-containerd.toml", {
      cluster     = local.cluster_names
      pause_image = local.windows_pause_image
    })
  }

  # The cluster's registry is where images come from, as on Linux.
  task "win_copy" "registry_ca" {
    dest    = "C:/ProgramData/containerd/certs.d/kinit-ca.crt"
    content = task.x509_ca.cluster.cert_pem
  }

  task "win_copy" "registry_hosts" {
    dest = "C:/ProgramData/containerd/certs.d/_default/hosts.toml"
    content_secret = templatefile("files/windows-hosts.toml", {
      registry = local.registry, user = "nodes", password = task.secret.registry_nodes.value
    })
    private = true
  }

  task "win_copy" "crictl" {
    dest    = "C:/k/crictl.yaml"
    content = <<-EOT
      runtime-endpoint: npipe:////./pipe/containerd-containerd
      image-endpoint: npipe:////./pipe/containerd-containerd
    EOT
  }

  task "win_copy" "join" {
    dest = "C:/k/join.yaml"
    content_secret = templatefile("files/windows-join.yaml", {
      cluster      = local.cluster_names
      node         = host.name
      api          = "${local.api}:${local.api_port}"
      token        = task.secret.token.value
      ca_cert_hash = task.x509_ca.kubernetes.spki_hash
      timeout      = var.cluster_timeout
    })
    private = true
  }
}

block "windows_programs" {
  stage = "cluster"
  hosts = local.windows_names

  task "win_service" "containerd" {
    name      = "containerd"
    path      = "C:/Program Files/containerd/containerd.exe"
    arguments = ["--run-service"]
    start     = "auto"
    state     = "started"
    restart_on = [
      task.win_copy.containerd[host.name].sha256, task.win_download.payload["${host.name}/containerd"].sha256,
    ]
    depends_on = [
      task.win_powershell.payload, task.win_copy.registry_ca, task.win_copy.registry_hosts,
      task.win_defender_exclusion.containers, task.win_env.path,
    ]
  }

  # The kubelet, native service of Windows; kube-log-runner writes its log. It waits for
  # what the join writes: kubeadm starts it.
  task "win_service" "kubelet" {
    name = "kubelet"
    path = "C:/k/kube-log-runner.exe"
    arguments = [
      "--log-file=C:/var/log/kubelet/kubelet.log", "C:/k/kubelet.exe", "--windows-service",
      "--hostname-override=${host.name}", "--node-ip=${local.windows_nodes[host.name].ip}",
      "--bootstrap-kubeconfig=C:/etc/kubernetes/bootstrap-kubelet.conf", "--kubeconfig=C:/etc/kubernetes/kubelet.conf",
      "--config=C:/var/lib/kubelet/config.yaml", "--cert-dir=C:/var/lib/kubelet/pki",
      "--container-runtime-endpoint=npipe:////./pipe/containerd-containerd",
      "--register-with-taints=os=windows:NoSchedule",
      "--cgroups-per-qos=false", "--enforce-node-allocatable=", "--resolv-conf=",
    ]
    start         = "auto"
    state         = trimspace(task.win_powershell.joined[host.name].stdout) == "True" ? "started" : null
    dependencies  = ["containerd"]
    restart_after = ["10s"]
    depends_on    = [task.win_service.containerd, task.win_powershell.payload]
  }

  task "win_powershell" "version" {
    script     = "& C:\\k\\kubeadm.exe version --output short"
    read_only  = true
    expect     = "^${local.kubernetes_version}\\s*$"
    depends_on = [task.win_powershell.payload]
  }

  # The token is in the cluster only while nodes join, and for two hours at most.
  task "win_powershell" "joined" {
    script    = "[IO.File]::Exists('C:/etc/kubernetes/kubelet.conf')"
    read_only = true
  }
}

block "windows_token" {
  stage = "computes"
  host  = local.first_node

  task "command" "token" {
    when = anytrue([for name in local.windows_names : trimspace(task.win_powershell.joined[name].stdout) != "True"])
    argv = concat(
      ["sh", "-c", "sed \"s/EXPIRES/$(date -u -d '+2 hours' +%FT%TZ)/\" | \"$@\"", "token"],
      local.kubectl,
      ["apply", "--filename", "-"],
    )
    stdin = local.has_windows ? templatefile("files/token.yaml", {
      cluster = local.cluster_names
      token   = task.secret.token.value
    }) : ""
  }

  task "command" "token_gone" {
    when = local.has_windows
    argv = concat(local.kubectl, ["--namespace", "kube-system", "delete", "secrets", "--selector", "kinit=join"])
    only_if = [
      "sh", "-c", "test -n \"$(\"$@\")\"", "token", "kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf",
      "--namespace", "kube-system", "get", "secrets", "--selector", "kinit=join", "--output", "name",
    ]
    depends_on = [task.win_powershell.join]
  }
}

# A join that failed half-way is reset before the next attempt.
task "win_powershell" "join" {
  stage      = "computes"
  hosts      = local.windows_names
  script     = file("files/windows-join.ps1")
  creates    = "C:/etc/kubernetes/kubelet.conf"
  timeout    = var.cluster_timeout
  depends_on = [task.command.token]

  retry {
    attempts = 3
    delay    = "10s"
  }
}

# The network between pods. flanneld is no service of Windows, so a task of the system
# starts it with the machine; kubelet's certificate is not for other programs.
task "x509_certificate" "windows" {
  stage    = "network"
  for_each = local.has_windows ? { flannel = "kinit-flannel", kube-proxy = "system:kube-proxy" } : {}
  host     = local.first_hypervisor
  key      = "${local.cluster_folder}/pki/${each.key}.key"
  cert     = "${local.cluster_folder}/pki/${each.key}.crt"
  ca_cert  = task.x509_ca.kubernetes.cert
  ca_key   = task.x509_ca.kubernetes.key
  cn       = each.value
  usages   = ["client"]
  type     = "rsa"
}

task "win_copy" "kubeconfig" {
  stage = "computes"
  for_each = {
    for pair in setproduct(local.windows_names, ["flannel", "kube-proxy"]) :
    "${pair[0]}/${pair[1]}" => { node = pair[0], user = pair[1] }
  }
  host = each.value.node
  dest = "C:/etc/kubernetes/${each.value.user}.conf"
  content_secret = templatefile("files/windows-kubeconfig.yaml", {
    cluster     = local.cluster_names
    api         = "${local.api}:${local.api_port}"
    user        = each.value.user
    ca          = task.x509_ca.kubernetes.cert_pem
    certificate = task.x509_certificate.windows[each.value.user].cert_pem
    key         = task.x509_certificate.windows[each.value.user].key_pem
  })
  private = true
}

block "windows_flannel" {
  stage = "computes"
  hosts = local.flannel_windows

  task "win_copy" "net_conf" {
    dest = "C:/etc/kube-flannel/net-conf.json"
    content = jsonencode({
      Network = var.pod_cidr
      Backend = merge(local.flannel_backend, { Name = local.windows_network })
    })
  }

  task "win_copy" "cni" {
    dest    = "C:/etc/cni/net.d/10-flannel.conf"
    content = local.windows_cni_configs[host.name]
  }

  # kubelet looks for the plugin under the name in the configuration.
  task "win_powershell" "cni_flannel" {
    script  = "[IO.File]::Copy('C:/opt/cni/bin/flannel-amd64.exe', 'C:/opt/cni/bin/flannel.exe')"
    creates = "C:/opt/cni/bin/flannel.exe"
  }

  # Its first network takes the machine off the wire for a while, which is no failure:
  # the next tasks ask again. The network of pods ends with the machine's uptime, and flanneld ends when
  # the address of its interface or the API is not there yet, so the task starts it again.
  task "win_scheduled_task" "flanneld" {
    name    = "kinit/flanneld"
    program = "C:/k/kube-log-runner.exe"
    arguments = [
      "--log-file=C:/var/log/flanneld.log", "C:/k/flanneld.exe", "--kube-subnet-mgr", "--ip-masq",
      "--iface=${local.windows_nodes[host.name].ip}",
      "--kubeconfig-file=C:/etc/kubernetes/flannel.conf", "--net-config-path=C:/etc/kube-flannel/net-conf.json",
    ]
    startup = true
    every   = "1m"
    depends_on = [
      task.win_env.node, task.win_copy.net_conf, task.win_copy.kubeconfig, task.win_powershell.cni_flannel,
      task.win_powershell.join, task.win_copy.cni,
    ]
  }

  task "win_powershell" "flanneld" {
    script = "Start-ScheduledTask -TaskPath '\\kinit\\' -TaskName 'flanneld'"
    unless = fold(<<-EOT
      if ((Get-ScheduledTask -TaskPath '\kinit\' -TaskName 'flanneld').State.ToString() -ne 'Running') { exit 1 }
      EOT
    )
    depends_on = [task.win_scheduled_task.flanneld, task.wait.pod_cidr]

    # The machine may go off the wire while this looks whether flanneld runs.
    retry {
      attempts = 5
      delay    = "3s"
    }
  }

  task "win_wait" "network" {
    path       = "C:/run/flannel/subnet.env"
    within     = var.cluster_timeout
    depends_on = [task.win_powershell.flanneld]
  }
}

# flanneld ends at once on a node that the controllers have not given its part of the
# pods' network yet.
task "wait" "pod_cidr" {
  stage      = "computes"
  for_each   = toset(local.flannel_windows)
  host       = local.first_node
  argv       = concat(local.kubectl, ["get", "node", each.key, "--output", "jsonpath={.spec.podCIDR}"])
  expect     = "/"
  within     = var.cluster_timeout
  depends_on = [task.win_powershell.join]
}

block "windows_source_vip" {
  stage = "computes"
  hosts = local.vxlan_windows

  # kube-proxy needs an address of the node's own pod network: reserved once, kept in a
  # file, as the container runtime does for pods.
  task "win_powershell" "source_vip" {
    script     = file("files/windows-source-vip.ps1")
    arguments  = { network = local.windows_network, file = "C:/sourcevip/address" }
    creates    = "C:/sourcevip/address"
    depends_on = [task.win_wait.network]
  }

  task "win_powershell" "source_vip_read" {
    script     = "[IO.File]::ReadAllText('C:/sourcevip/address').Trim()"
    read_only  = true
    depends_on = [task.win_powershell.source_vip]
  }
}

block "windows_calico_vip" {
  stage = "computes"
  hosts = local.calico ? local.windows_names : []

  # With Calico the address is that of the endpoint that Calico reserves for kube-proxy on each node.
  task "win_powershell" "calico_vip" {
    script     = file("files/windows-calico-vip.ps1")
    read_only  = true
    depends_on = [task.win_powershell.join, task.command.calico_operator]

    retry {
      attempts = 60
      delay    = "5s"
    }
  }
}

task "win_service" "kube_proxy" {
  stage = "computes"
  hosts = local.windows_names
  name  = "kube-proxy"
  path  = "C:/k/kube-log-runner.exe"
  arguments = concat([
    "--log-file=C:/var/log/kube-proxy.log", "C:/k/kube-proxy.exe", "--windows-service",
    "--kubeconfig=C:/etc/kubernetes/kube-proxy.conf", "--proxy-mode=kernelspace", "--hostname-override=${host.name}",
    "--cluster-cidr=${var.pod_cidr}", "--network-name=${local.calico ? "Calico" : local.windows_network}",
    ],
    local.windows_dsr[host.name] ? ["--enable-dsr=true"] : [],
    [
      for name, read in merge(task.win_powershell.source_vip_read, task.win_powershell.calico_vip) :
      "--source-vip=${trimspace(read.stdout)}" if name == host.name
  ])
  start         = "auto"
  restart_after = ["10s"]
  state         = "started"
  restart_on    = [task.win_download.payload["${host.name}/kubernetes"].sha256]
  depends_on    = [task.win_copy.kubeconfig, task.win_powershell.join, task.win_wait.network]
}

locals {
  flannel_windows = startswith(local.pod_network, "flannel-") ? local.windows_names : []
  vxlan_windows   = local.pod_network == "flannel-vxlan" ? local.windows_names : []
}
