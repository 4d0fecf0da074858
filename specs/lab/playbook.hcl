variable "lab_name" {
  type        = string
  default     = "lab"
  description = "The lab's name; labs of different names do not touch each other."
  validation {
    condition     = can(regex("^[a-z][a-z0-9]{0,9}$", var.lab_name))
    error_message = "A lab's name has 1 to 10 small letters and digits, and begins with a letter."
  }
}

variable "lab_hosts" {
  type        = string
  default     = "nyctea,tyto"
  description = "The names of the hypervisors, with commas between."
}

variable "lab_machines" {
  type    = string
  default = ""
  description = fold(<<-EOT
    The names of machines that exist beside the hypervisors, with commas between: nodes for the driver host.
    EOT
  )
}

variable "lab_subnet" {
  type        = string
  default     = "10.77.0.0/24"
  description = "The network between the hypervisors."
}

variable "lab_cache" {
  type        = string
  description = "The folder that keeps the artifacts."
}

variable "lab_state" {
  type        = string
  description = "The folder for the lab's keys."
}

variable "lab_inventory" {
  type        = string
  description = "The inventory file that makes the hypervisors known by name."
}

variable "lab_windows" {
  type        = string
  default     = ""
  description = "The simulator that the lab's Windows is played by, a static program; without it the lab has none."
}

variable "lab_windows_machines" {
  type        = string
  default     = ""
  description = "The names of machines that exist and play Windows, with commas between."
}

variable "lab_stock" {
  type        = bool
  default     = false
  description = "Nodes are made of stock images, and everything else comes from mirrors that the lab serves."
}

variable "lab_conformance" {
  type        = bool
  default     = false
  description = "The lab's clusters have the images of Kubernetes' conformance tests in their registries."
}

variable "lab_upgrade" {
  type    = bool
  default = false
  description = fold(<<-EOT
    A mirror of the lab serves a second version of Kubernetes, and its clusters have the images of both. It is the
    same sources with the next number.
    EOT
  )
}

variable "lab_minor" {
  type        = bool
  default     = false
  description = "As lab_upgrade, and the second version is the next minor one, of its own sources."
}

locals {
  # The folder of the second version, empty without one.
  second = var.lab_minor ? "minor" : var.lab_upgrade ? "upgrade" : ""

  # Archives that Windows nodes download, with their checksums.
  payloads = var.lab_windows == "" ? {} : {
    for line in split("\n", trimspace(file("${var.lab_cache}/winsim-programs/SHA256SUMS"))) :
    trimsuffix(split("  ", line)[1], ".tar.gz") => split("  ", line)[0]
  }
}

locals {
  # Names of container images, and where a hypervisor finds them.
  image_folders = concat(
    ["images"],
    var.lab_conformance ? ["conformance/images"] : [],
    local.second != "" ? ["${local.second}/images"] : [],
    fileexists("${var.lab_cache}/calico/images/images.txt") ? ["calico/images"] : [],
  )
  images = merge([for folder in local.image_folders : {
    for name in split("\n", trimspace(file("${var.lab_cache}/${folder}/images.txt"))) :
    name => "oci:/srv/kinit/${folder}:${name}"
  }]...)
  # The one of the sample workload.
  sample = [for name in keys(local.images) : name if can(regex("/library/busybox:", name))][0]
}

# The mirrors: sites in the layouts of those that they stand for. Clusters know their
# addresses by the inventory alone.
locals {
  mirror   = cidrhost(var.lab_subnet, 4)
  registry = cidrhost(var.lab_subnet, 5)
  digests = var.lab_stock ? {
    for line in split("\n", trimspace(file("${var.lab_cache}/mirror/digests.txt"))) :
    split(" ", line)[0] => split(" ", line)[1]
  } : {}
  shipped = jsondecode(file("../pins.json")).pins
  mirrors = { for name, mirror in {
    upgrade = {
      made    = local.second != "", folder = local.second
      address = cidrhost(var.lab_subnet, 6), config = file("files/mirror/upgrade.conf"), answers = "/version"
      command = ["nginx", "-c", "/etc/kinit-mirror.conf", "-g", "daemon off;"]
    }
    mirror = {
      made    = var.lab_stock, folder = "mirror"
      address = local.mirror, config = file("files/mirror/nginx.conf"), answers = "/debian/dists/bookworm/InRelease"
      command = ["nginx", "-c", "/etc/kinit-mirror.conf", "-g", "daemon off;"]
    }
    registry = {
      made    = var.lab_stock, folder = "mirror"
      address = local.registry, config = file("files/mirror/registry.yml"), answers = ":5000/v2/"
      command = ["registry", "serve", "/etc/kinit-mirror.conf"]
    }
  } : name => mirror if mirror.made }
  stock = !var.lab_stock ? null : {
    image_mirrors = {
      for site in ["docker.io", "registry.k8s.io", "ghcr.io", "public.ecr.aws"] :
      site => "http://${local.registry}:5000/${site}"
    }
    debian_mirror  = "http://${local.mirror}"
    kubernetes_url = "http://${local.mirror}/release"
    eksd_url       = "http://${local.mirror}"
    runtime_url    = "http://${local.mirror}"
    calico_url = (
      can(local.digests["calico_manifest"])
      ? "http://${local.mirror}${dirname(replace(local.shipped.calico_manifest.url, "/^https?:\\/\\/[^\\/]+/", ""))}"
      : ""
    )
    pins = merge(
      { for name, digest in local.digests : name => merge(local.shipped[name], { digest = digest }) },
      { for name in local.stock_guest != "" ? ["debian_guest"] : [] : name => {
        used    = local.shipped[name].used
        version = local.shipped[name].version
        url     = replace(local.shipped[name].url, "/^https?://[^/]*\\//", "http://${local.mirror}/")
        digest  = "sha256:${local.stock_guest}"
      } },
    )
  }
  # The digest of the guests' image, empty without one.
  stock_guest = (
    var.lab_stock && fileexists("${var.lab_cache}/stock-guest/sha256")
    ? trimspace(file("${var.lab_cache}/stock-guest/sha256"))
    : ""
  )
}

task "podman_image" "services" {
  stage   = "hypervisors"
  when    = length(local.mirrors) > 0
  name    = trimspace(file("${var.lab_cache}/services.ref"))
  source  = "${var.lab_cache}/services.tar"
  keep    = true
  timeout = "10m"
}

task "copy" "mirror" {
  stage      = "hypervisors"
  for_each   = local.mirrors
  dest       = "${var.lab_state}/${each.key}.conf"
  content    = each.value.config
  mode       = "0644"
  depends_on = [task.directory.state]
}

task "podman_container" "mirror" {
  stage    = "hypervisors"
  for_each = local.mirrors
  name     = "${local.network}-${each.key}"
  hostname = each.key
  image    = task.podman_image.services.name
  command  = each.value.command
  runtime  = trimspace(task.command.runtime.stdout)
  ulimits  = ["nofile=20000:20000", "nproc=32768:32768"]
  networks = ["${task.podman_network.underlay.name}:ip=${each.value.address}"]
  volumes = concat([
    "${var.lab_cache}/${each.value.folder}:/srv/mirror:ro",
    "${task.copy.mirror[each.key].path}:/etc/kinit-mirror.conf:ro",
  ], local.stock_guest != "" ? ["${var.lab_cache}/stock-guest/images:/srv/images:ro"] : [])
  config_hash = sha256(each.value.config)
}

task "wait" "mirror" {
  stage    = "hypervisors"
  for_each = local.mirrors
  url      = "http://${each.value.address}${each.value.answers}"
  within   = "1m"
  evidence = [["podman", "logs", "--tail", "30", "${local.network}-${each.key}"]]

  depends_on = [task.podman_container.mirror]
}

locals {
  trial        = file("../drivers/libvirt/files/accelerated.sh")
  trial_digest = substr(sha256(local.trial), 0, 12)
}

locals {
  names    = split(",", var.lab_hosts)
  machines = var.lab_machines == "" ? [] : split(",", var.lab_machines)
  windows  = var.lab_windows_machines == "" ? [] : split(",", var.lab_windows_machines)
  all      = concat(local.names, local.machines, local.windows)
  network  = "kinit-${var.lab_name}"
  address = merge(
    { for i, name in local.names : name => cidrhost(var.lab_subnet, 10 + i) },
    { for i, name in local.machines : name => cidrhost(var.lab_subnet, 50 + i) },
    { for i, name in local.windows : name => cidrhost(var.lab_subnet, 90 + i) },
  )
  build = run.stop_after != "cleanup"
}

stage "cleanup" {}

stage "hypervisors" {
  after = ["cleanup"]
}

# What this lab owns and does not declare; all of it when this is the last stage.
task "podman_sweep" "owned" {
  stage = "cleanup"
  all   = run.stop_after == "cleanup"
  keep = concat([local.network], [
    for name in concat(local.all, keys(local.mirrors)) :
    "kinit-${var.lab_name}-${name}"
  ])
}

task "sweep" "owned" {
  stage      = "cleanup"
  when       = !local.build
  all        = true
  depends_on = [task.podman_sweep.owned]
}

# Which OCI runtime can start systemd in a container here, and with which limits:
# asked of the machine, because it depends on its cgroups.
task "command" "runtime" {
  stage     = "hypervisors"
  argv      = ["sh", "-c", file("../drivers/podman/files/runtime.sh")]
  read_only = true
}

# Whether guests run under KVM here. All hypervisors of the lab share the machine's KVM, so one
# trial decides for all of them, once per boot of the machine.
task "shell" "virtualisation" {
  stage    = "hypervisors"
  commands = file("files/virtualisation.sh")
  unless = fold(<<-EOT
    grep -q "^$(cat /proc/sys/kernel/random/boot_id) ${local.trial_digest} "
    '${var.lab_cache}/virtualisation'
    EOT
  )
  environment = {
    KINIT_RESULT  = "${var.lab_cache}/virtualisation"
    KINIT_DIGEST  = local.trial_digest
    KINIT_TRIAL   = local.trial
    KINIT_IMAGE   = trimspace(file("${var.lab_cache}/hypervisor.ref"))
    KINIT_RUNTIME = trimspace(task.command.runtime.stdout)
  }
}

task "directory" "state" {
  stage    = "hypervisors"
  for_each = toset(concat([var.lab_state], [for name in local.all : "${var.lab_state}/${name}"]))
  path     = each.key
  mode     = "0700"
}

block "state" {
  stage      = "hypervisors"
  depends_on = [task.directory.state]

  task "ssh_key" "client" {
    path    = "${var.lab_state}/id_ed25519"
    comment = "kinit ${local.network}"
  }

  task "ssh_key" "host" {
    for_each = toset(local.all)
    path     = "${var.lab_state}/${each.key}/ssh_host_ed25519_key"
    comment  = each.key
  }

  task "copy" "authorized" {
    dest    = "${var.lab_state}/authorized_keys"
    content = "${task.ssh_key.client.public_key}\n"
    mode    = "0600"
  }

  # Machines that exist and play Windows. No Windows is there: their only program is the
  # simulator, which says so on its console, and adds its routes to the container's. The image
  # is what brings it ip and ethtool.
  task "copy" "simulator" {
    when   = length(local.windows) > 0
    source = var.lab_windows
    dest   = "${var.lab_state}/winsim"
    mode   = "0755"
  }
}

task "podman_network" "underlay" {
  stage  = "hypervisors"
  name   = local.network
  subnet = var.lab_subnet
  dns    = false
}

task "podman_container" "hypervisor" {
  stage      = "hypervisors"
  for_each   = toset(local.names)
  name       = "${local.network}-${each.key}"
  hostname   = each.key
  image      = trimspace(file("${var.lab_cache}/hypervisor.ref"))
  command    = ["/sbin/init"]
  runtime    = trimspace(task.command.runtime.stdout)
  privileged = true
  # Not podman's own preparation for systemd: with control groups of version 1 it mounts
  # the machine's, and the services of all hypervisors and nodes would be in one tree.
  systemd = "false"
  tmpfs   = ["/run", "/run/lock", "/tmp", "/var/log/journal"]
  env     = { container = "podman" }
  # A process of a node that is a container counts for its hypervisor too.
  ulimits = ["nofile=20000:20000", "nproc=32768:32768"]
  # A cgroup namespace of its own lets its containers have cgroups of theirs, where the
  # machine has version 1, version 2 or both.
  options  = ["--cgroupns=private"]
  networks = ["${task.podman_network.underlay.name}:ip=${local.address[each.key]}"]
  volumes = [
    # Without a name they go with the container: a hypervisor that is recreated has
    # nothing of the old one.
    "/var/lib/libvirt/images", "/var/lib/containers",
    "${var.lab_state}/authorized_keys:/root/.ssh/authorized_keys:ro",
    "${var.lab_state}/${each.key}/ssh_host_ed25519_key:/etc/ssh/ssh_host_ed25519_key:ro",
    "${var.lab_cache}:/srv/kinit:ro",
  ]
  # Files that are mounted one by one stay the old ones when they are replaced.
  config_hash     = "${task.ssh_key.host[each.key].public_key} ${task.ssh_key.client.public_key}"
  replace_volumes = true
  depends_on      = [task.copy.authorized]
}

# Machines that exist: the lab's nodes without anything made of them. They mount what
# others are to see, as a machine with a kernel of its own does. Their address is on a bridge
# of an Open vSwitch, as that of hypervisors is, so that they can be on an overlay.
task "podman_image" "machine" {
  stage = "hypervisors"
  when  = length(local.machines) + length(local.windows) > 0
  name = (
    length(local.machines) + length(local.windows) > 0
    ? trimspace(file("${var.lab_cache}/node.ref"))
    : "localhost/none:1"
  )
  source  = "${var.lab_cache}/node.tar"
  keep    = true
  timeout = "10m"
}

task "podman_container" "machine" {
  stage    = "hypervisors"
  for_each = toset(local.machines)
  name     = "${local.network}-${each.key}"
  hostname = each.key
  image    = task.podman_image.machine.name
  command = ["/bin/sh", "-c", join(" && ", [
    "mount --make-rshared /",
    "systemctl --quiet --root=/ enable openvswitch-switch.service kinit-lab-underlay.service",
    "exec /sbin/init",
  ])]
  runtime    = trimspace(task.command.runtime.stdout)
  privileged = true
  systemd    = "false"
  tmpfs      = ["/run", "/run/lock", "/tmp"]
  env        = { container = "podman" }
  ulimits    = ["nofile=20000:20000", "nproc=32768:32768"]
  options    = ["--cgroupns=private", "--no-hosts"] # /etc/hosts is a file as any other
  networks   = ["${task.podman_network.underlay.name}:ip=${local.address[each.key]}"]
  volumes = [
    "/var",
    "${var.lab_state}/authorized_keys:/root/.ssh/authorized_keys:ro",
    "${var.lab_state}/${each.key}/ssh_host_ed25519_key:/etc/ssh/ssh_host_ed25519_key:ro",
  ]
  config_hash     = "${task.ssh_key.host[each.key].public_key} ${task.ssh_key.client.public_key}"
  replace_volumes = true
  depends_on      = [task.copy.authorized]
}

task "podman_container" "windows" {
  stage    = "hypervisors"
  for_each = toset(local.windows)
  name     = "${local.network}-${each.key}"
  hostname = each.key
  image    = task.podman_image.machine.name
  command = [
    "/bin/sh", "-c", "ethtool -K eth0 tx off >/dev/null && exec \"$@\"", "winsim",
    "/usr/local/sbin/winsim", "-state", "/state", "-release", "2k25", "-name", upper(each.key),
    "-address", "${local.address[each.key]}/${split("/", var.lab_subnet)[1]}", "-routes",
    "-ssh-host-key", "/etc/kinit/host_key", "-ssh-authorized-keys", "/etc/kinit/authorized_keys", "-boot-time",
    "2s", "-drop-time", "2s",
  ]
  runtime  = trimspace(task.command.runtime.stdout)
  systemd  = "false"
  ulimits  = ["nofile=20000:20000", "nproc=32768:32768"]
  options  = ["--cap-add=NET_ADMIN"]
  networks = ["${task.podman_network.underlay.name}:ip=${local.address[each.key]}"]
  volumes = [
    "/state",
    "${task.copy.simulator.path}:/usr/local/sbin/winsim:ro",
    "${var.lab_state}/authorized_keys:/etc/kinit/authorized_keys:ro",
    "${var.lab_state}/${each.key}/ssh_host_ed25519_key:/etc/kinit/host_key:ro",
  ]
  config_hash = join(" ", [
    task.ssh_key.host[each.key].public_key, task.ssh_key.client.public_key, task.copy.simulator.sha256,
  ])
  replace_volumes = true
  depends_on      = [task.copy.authorized]
}

task "wait" "ssh" {
  stage    = "hypervisors"
  for_each = toset(local.all)
  address  = local.address[each.key]
  port     = 22
  banner   = "SSH-"
  within   = "3m"
  evidence = [["podman", "logs", "--tail", "30", "${local.network}-${each.key}"]]

  depends_on = [task.podman_container.hypervisor, task.podman_container.machine, task.podman_container.windows]
}

host "hypervisor" {
  for_each    = toset(local.names)
  name        = each.key
  address     = local.address[each.key]
  user        = "root"
  private_key = task.ssh_key.client.private_key
  host_keys   = [task.ssh_key.host[each.key].public_key]
  depends_on  = [task.wait.ssh[each.key]]
}

# The underlay bridge holds the address that tunnels leave by.
task "wait" "underlay" {
  stage    = "hypervisors"
  for_each = toset(local.names)
  host     = each.key
  argv     = ["systemctl", "is-active", "kinit-lab-underlay.service", "openvswitch-switch.service", "libvirtd.socket"]
  within   = "3m"
  evidence = [["systemctl", "--failed", "--no-legend"], ["journalctl", "-b", "-n", "30", "--no-pager"]]
}

# A hypervisor keeps the device only if guests run under KVM.
task "command" "kvm" {
  stage      = "hypervisors"
  host       = local.names[0]
  argv       = ["sh", "-c", "systemctl start libvirtd.service; [ -e /dev/kvm ] && echo kvm || echo qemu"]
  read_only  = true
  depends_on = [task.wait.underlay]
}

task "directory" "inventory" {
  stage = "hypervisors"
  path  = dirname(var.lab_inventory)
}

# kinit finds the hypervisors by name from now on.
task "copy" "inventory" {
  stage = "hypervisors"
  dest  = var.lab_inventory
  mode  = "0644"
  content = templatefile("../../inventories/lab.hcl", {
    lab  = local.network
    virt = trimspace(task.command.kvm.stdout)
    hosts = [
      for name in local.names :
      { name = name, address = local.address[name], host_key = task.ssh_key.host[name].public_key }
    ]
    machines = [
      for name in local.machines :
      { name = name, address = local.address[name], host_key = task.ssh_key.host[name].public_key }
    ]
    windows = [
      for name in local.windows :
      { name = name, address = local.address[name], host_key = task.ssh_key.host[name].public_key }
    ]
    identity = "${var.lab_state}/id_ed25519"
    guest    = fileexists("${var.lab_cache}/guest.sha256") ? split(" ", file("${var.lab_cache}/guest.sha256"))[0] : ""
    node     = fileexists("${var.lab_cache}/node.ref") ? trimspace(file("${var.lab_cache}/node.ref")) : ""
    services = trimspace(file("${var.lab_cache}/services.ref"))
    payloads = local.payloads
    kubectl  = fileexists("${var.lab_cache}/programs/kubernetes") ? "kubernetes" : "kubectl"
    winsim = (
      var.lab_windows != "" && fileexists("${var.lab_cache}/winsim.sha256")
      ? split(" ", file("${var.lab_cache}/winsim.sha256"))[0]
      : ""
    )
    images = local.images
    sample = local.sample
    stock  = local.stock
  })
  depends_on = [task.wait.underlay, task.wait.ssh, task.wait.mirror, task.directory.inventory]
}
