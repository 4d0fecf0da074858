# windows: the nodes whose operating system begins with "windows". Windows is installed
# once on each hypervisor, sealed, and only read from then on; nodes are disks on top of
# that image, each with a CD that says who it is. Without such a node nothing of this is
# planned.
#
# What else may refer to: local.windows_hypervisors, task.x509_certificate.winrm[name],
# task.windows_seed.node[name].marker (the file in the node that is written last),
# task.windows_install.node[name] (the node answers). The password of Administrator is
# "${local.windows_password_prefix}${task.secret.windows[name].value}".

variable "windows_iso" {
  type = object({
    url    = optional(string, "")
    sha256 = optional(string, "")
  })
  default = {}
  description = fold(<<-EOT
    The ISO of Windows Server: a URL that hypervisors can fetch, or a path on them. Kinit brings none along.
    EOT
  )
}

variable "windows_image" {
  type = object({
    url    = optional(string, "")
    sha256 = optional(string, "")
  })
  default = {}
  description = fold(<<-EOT
    A sealed image that was made elsewhere, in qcow2: a URL or a path, as windows_iso. With it nothing is installed.
    EOT
  )
}

variable "windows_image_name" {
  type    = string
  default = ""
  description = fold(<<-EOT
    The image on the ISO; empty for Datacenter without a desktop. On other media than English ones names are the same.
    EOT
  )
}

variable "windows_product_key" {
  type        = string
  default     = ""
  sensitive   = true
  description = "The key of the ISO; none for evaluation media."
}

variable "windows_activation" {
  type    = string
  default = null
  description = fold(<<-EOT
    What becomes of the activation of Windows guests: "online" activates them over the internet, "none" leaves them as
    they are. Evaluation media need one of the two, as they turn off when they are not activated in time.
    EOT
  )
  validation {
    condition     = contains(["online", "none"], coalesce(var.windows_activation, "none"))
    error_message = "The activation is \"online\" or \"none\"."
  }
}

variable "windows_locale" {
  type        = string
  default     = "en-US"
  description = "The language of the ISO."
}

variable "windows_firmware" {
  type        = string
  default     = "uefi"
  description = "The firmware of Windows guests: uefi, or bios."
  validation {
    condition     = contains(["uefi", "bios"], var.windows_firmware)
    error_message = "The firmware is \"uefi\" or \"bios\"."
  }
}

variable "windows_image_size" {
  type        = string
  default     = "40GiB"
  description = "The disk of the image; nodes have at least as much."
}

variable "windows_drivers" {
  type = object({
    url    = string
    sha256 = optional(string, "")
  })
  default     = null
  description = "The ISO of virtio-win: a URL or a path, as windows_iso; the pinned one where it is not said."
}

variable "windows_openssh" {
  type = object({
    url    = string
    sha256 = optional(string, "")
  })
  default = null
  description = fold(<<-EOT
    The MSI of OpenSSH's server for Windows: a URL or a path, as windows_iso; the pinned one where it is not said.
    EOT
  )
}

variable "windows_least_memory_gib" {
  type        = number
  default     = 4
  description = "How much memory in GiB a Windows node needs. With less, nodes that run pods begin to swap."
}

variable "windows_install_timeout" {
  type        = string
  default     = "3h"
  description = "How long the installation of the image may take."
}

variable "windows_boot_timeout" {
  type        = string
  default     = "45m"
  description = "How long a copy of the image may take from power-on to its first answer."
}

locals {
  windows_hypervisors = distinct([for node in values(local.libvirt_windows) : node.hypervisor])
  windows_systems     = distinct([for node in values(local.libvirt_windows) : node.os])

  # The folder of virtio-win that each system's drivers are in.
  windows_editions = { "windows" = "2k22", "windows-2019" = "2k19", "windows-2022" = "2k22", "windows-2025" = "2k25" }
  windows_edition  = lookup(local.windows_editions, try(local.windows_systems[0], "windows"), "2k22")

  # What is fetched, and where it is on the hypervisors: a path is used where it is. An
  # image that is sealed already needs nothing else.
  windows_sealed     = var.windows_image.url != ""
  windows_evaluation = nonsensitive(var.windows_product_key == "")
  windows_pinned     = { drivers = "virtio_win", openssh = "windows_openssh" }
  windows_given = {
    for name, medium in { drivers = var.windows_drivers, openssh = var.windows_openssh } :
    name => medium if medium != null
  }
  windows_tools = {
    for name, pin in local.windows_pinned :
    name => try(local.windows_given[name], { url = local.downloads[pin].url, sha256 = local.downloads[pin].sha256 })
  }
  windows_sha512 = {
    for name, pin in local.windows_pinned :
    name => can(local.windows_given[name]) ? "" : local.downloads[pin].sha512
  }
  windows_media = {
    for name, medium in merge(local.windows_tools, { image = var.windows_image, iso = var.windows_iso }) :
    name => medium if(name == "image") == local.windows_sealed
  }
  windows_files = {
    for name, medium in local.windows_media :
    name => startswith(medium.url, "/")
    ? medium.url
    : join("", [
      "${local.image_dir}/kinit-${substr(sha256(jsonencode(medium)), 0, 12)}",
      lookup({ image = ".qcow2", openssh = ".msi" }, name, ".iso"),
    ])
  }
  windows_fetched = {
    for pair in setproduct(local.windows_hypervisors, keys(local.windows_media)) :
    "${pair[0]}/${pair[1]}" => { host = pair[0], name = pair[1] }
    if local.windows_media[pair[1]].url != "" && !startswith(local.windows_media[pair[1]].url, "/")
  }

  # The image's name follows from all that it is made of: another system is another image.
  windows_inputs = jsonencode([
    local.windows_media, local.windows_edition, var.windows_image_name, var.windows_locale, var.windows_firmware,
    var.windows_image_size,
  ])
  windows_golden = "${local.image_dir}/kinit-windows-${substr(sha256(local.windows_inputs), 0, 12)}.qcow2"
  windows_build  = "kinit-image-${substr(sha256("${cluster.name}/${local.windows_golden}"), 0, 8)}"

  # What clean-up leaves alone of an installation that was interrupted.
  windows_builders = local.windows_sealed ? [] : local.windows_hypervisors
  windows_builds   = length(local.windows_builders) > 0 ? [local.windows_build] : []
  windows_build_volumes = flatten([
    for name in local.windows_builds :
    ["${local.image_dir}/${name}.qcow2", "${local.image_dir}/${name}-seed.iso"]
  ])

  windows_low_memory = [
    for node in values(local.libvirt_windows) :
    "${node.name} has ${node.memory}" if node.memory_bytes < var.windows_least_memory_gib * 1073741824
  ]

  # Sizes in HCL are texts, so the image's is taken apart: a whole number and its unit.
  windows_least_disk = (
    parseint(regex("^[0-9]+", var.windows_image_size), 10) *
    { KiB = 1024, MiB = 1048576, GiB = 1073741824, TiB = 1099511627776 }[regex("[KMGT]iB$", var.windows_image_size)]
  )

  # Letters and digits alone may miss one of the classes that Windows asks for in
  # passwords, so each begins with all of them.
  windows_password_prefix = "Kn1-"
}

# What can be said before any host is asked.
task "assert" "windows" {
  stage = "validate"
  when  = local.build && length(local.libvirt_windows) > 0
  early = true

  condition {
    holds = var.windows_iso.url != "" || local.windows_sealed
    message = fold(<<-EOT
      The nodes ${join(", ", keys(local.libvirt_windows))} are to run Windows, and there is no ISO to install it from.
      Set the variable windows_iso to a URL or to a path on the hypervisors, as in --var
      'windows_iso={url="/srv/iso/windows-server-2022.iso"}'. docs/windows.md says where Microsoft's evaluation ISOs
      are.
      EOT
    )
  }

  condition {
    holds = var.windows_activation != null || !local.windows_evaluation || local.windows_sealed
    message = fold(<<-EOT
      There is no windows_product_key, so the ISO is an evaluation medium: its guests must be activated, or turn
      themselves off an hour after each start once ten days are over. Set windows_activation to "online" if the nodes
      reach the internet, or to "none" if you do not need them for longer.
      EOT
    )
  }

  condition {
    holds = length(local.windows_systems) == 1
    message = fold(<<-EOT
      The pools ask for several systems, ${join(", ", local.windows_systems)}, and there is one ISO. Give all Windows
      pools the same os.
      EOT
    )
  }

  condition {
    holds = alltrue([for system in local.windows_systems : contains(keys(local.windows_editions), system)])
    message = fold(<<-EOT
      There is no system ${join(", ", local.windows_systems)}: expected one of
      ${join(", ", keys(local.windows_editions))}.
      EOT
    )
  }

  condition {
    holds = length(local.windows_low_memory) == 0
    message = fold(<<-EOT
      A Windows node needs ${var.windows_least_memory_gib}GiB of memory at least:
      ${join(", ", local.windows_low_memory)}. Give its pool more, as in --var compute_memory=8GiB.
      EOT
    )
  }
}

task "package" "windows" {
  stage      = "prepare"
  when       = local.build && var.windows_firmware == "uefi"
  hosts      = local.windows_hypervisors
  names      = ["ovmf"]
  timeout    = "20m"
  depends_on = [task.package.libvirt]
}

task "download" "windows" {
  stage    = "images"
  for_each = local.windows_fetched
  host     = each.value.host
  url      = local.windows_media[each.value.name].url
  dest     = local.windows_files[each.value.name]
  sha256   = local.windows_media[each.value.name].sha256
  sha512   = lookup(local.windows_sha512, each.value.name, "")
  unverified = join("", [
    local.windows_media[each.value.name].sha256, lookup(local.windows_sha512, each.value.name, ""),
  ]) == ""
  keep    = true
  timeout = "3h"
}

task "windows_image" "node" {
  stage       = "images"
  hosts       = local.windows_builders
  path        = local.windows_golden
  installer   = lookup(local.windows_files, "iso", "")
  drivers     = lookup(local.windows_files, "drivers", "")
  openssh     = lookup(local.windows_files, "openssh", "")
  edition     = local.windows_edition
  image_name  = var.windows_image_name
  product_key = var.windows_product_key
  locale      = var.windows_locale
  firmware    = var.windows_firmware
  size        = var.windows_image_size
  virt_type   = var.virt_type
  domain      = local.windows_build
  pictures    = "${local.cluster_folder}/pictures"
  within      = var.windows_install_timeout
  keep        = true
  depends_on  = [task.download.windows, task.command.capabilities]
}

block "windows_keys" {
  stage = "network"
  host  = local.first_hypervisor

  task "directory" "windows" {
    when       = length(local.libvirt_windows) > 0
    path       = "${local.cluster_folder}/windows"
    mode       = "0700"
    depends_on = [task.directory.root]
  }

  task "secret" "windows" {
    for_each   = local.libvirt_windows
    path       = "${local.cluster_folder}/windows/${each.key}.password"
    depends_on = [task.directory.windows]
  }

  # The certificate each node answers with, so that the first connection is verified. A new
  # one would have to be brought to the node, so it is for long.
  task "x509_certificate" "winrm" {
    for_each     = local.libvirt_windows
    key          = "${local.cluster_folder}/windows/${each.key}.key"
    cert         = "${local.cluster_folder}/windows/${each.key}.crt"
    ca_cert_pem  = task.x509_ca.cluster.cert_pem
    ca_key_pem   = task.x509_ca.cluster.key_pem
    cn           = each.key
    dns_names    = [each.key, "${each.key}.${cluster.domain}"]
    ip_addresses = [each.value.ip]
    type         = "rsa"
    days         = 3650
    depends_on   = [task.directory.windows]
  }
}

task "libvirt_volume" "windows" {
  stage    = "nodes"
  for_each = local.libvirt_windows
  host     = each.value.hypervisor
  name     = each.key
  backing  = lookup(local.windows_files, "image", local.windows_golden)
  size = (
    local.windows_sealed || each.value.disk_bytes >= local.windows_least_disk
    ? each.value.disk
    : var.windows_image_size
  )
  depends_on = [task.windows_image.node, task.download.windows]
}

task "windows_seed" "node" {
  stage           = "nodes"
  for_each        = local.libvirt_windows
  host            = each.value.hypervisor
  path            = "${local.image_dir}/${each.key}-seed.iso"
  purpose         = "copy"
  hostname        = each.key
  edition         = local.windows_edition
  password        = "${local.windows_password_prefix}${task.secret.windows[each.key].value}"
  certificate     = task.x509_certificate.winrm[each.key].cert_pem
  private_key     = task.x509_certificate.winrm[each.key].key_pem
  authorized_keys = [task.ssh_key.cluster.public_key]
  mtu             = local.overlay_mtu

  host_key {
    private = task.ssh_key.node[each.key].private_key
    public  = task.ssh_key.node[each.key].public_key
  }
}

task "libvirt_domain" "windows" {
  stage      = "nodes"
  for_each   = local.libvirt_windows
  host       = each.value.hypervisor
  name       = each.key
  uuid       = each.value.uuid
  os_type    = "windows"
  firmware   = var.windows_firmware
  vcpus      = each.value.vcpus
  memory     = each.value.memory
  virt_type  = var.virt_type
  disk_cache = var.disk_cache
  disk       = task.libvirt_volume.windows[each.key].path
  cdroms     = [task.windows_seed.node[each.key].path]
  vnc        = true
  autostart  = true

  data_disks  = [for volume in local.guest_data[each.key] : task.libvirt_volume.data[volume].path]
  pci_devices = local.guest_devices[each.key]

  dynamic "nic" {
    for_each = local.guest_cards[each.key]
    content {
      bridge  = nic.value.bridge
      mac     = nic.value.mac
      port_id = nic.value.port_id
      mtu     = nic.value.mtu
      offload = nic.value.offload
    }
  }

  depends_on = [task.ovn_port.port[each.key], task.ovn_sync.overlay]
}

# WinRM answers when the node has set itself up; its CD, which has its passwords, is taken
# out then.
task "windows_install" "node" {
  stage    = "nodes"
  for_each = local.libvirt_windows
  host     = each.value.hypervisor
  domain   = task.libvirt_domain.windows[each.key].name
  disk     = task.libvirt_volume.windows[each.key].path
  address  = each.value.ip
  within   = var.windows_boot_timeout
  pictures = "${local.cluster_folder}/pictures"
  eject    = [task.windows_seed.node[each.key].path]
}

# A Windows guest is a host like any other, reached through its hypervisor and verified by
# the certificate that it was given.
host "windows" {
  for_each    = local.libvirt_windows
  name        = each.key
  address     = each.value.ip
  os          = "windows"
  transport   = "winrm"
  user        = "Administrator"
  via         = each.value.hypervisor
  password    = "${local.windows_password_prefix}${task.secret.windows[each.key].value}"
  certificate = task.x509_certificate.winrm[each.key].cert_pem
  private_key = task.ssh_key.cluster.private_key
  host_keys   = [task.ssh_key.node[each.key].public_key]
  depends_on  = [task.windows_install.node[each.key]]

  connect_timeout = "60s" # a machine that has just started lets people in slowly

  console      = concat(local.virsh, ["console", each.key])
  take_console = concat(local.virsh, ["console", each.key, "--force"])
  screen       = concat(local.virsh, ["vncdisplay", each.key])
}

# The last thing that a node's own set-up does.
task "win_wait" "ready" {
  stage    = "nodes"
  for_each = local.libvirt_windows
  host     = each.key
  path     = task.windows_seed.node[each.key].marker
  within   = var.windows_boot_timeout
}

# An evaluation that is not activated in time turns the guest off, again and again.
task "win_powershell" "activation" {
  stage      = "nodes"
  for_each   = var.windows_activation == "online" ? local.libvirt_windows : {}
  host       = each.key
  script     = file("files/windows-activate.ps1")
  unless     = file("files/windows-activated.ps1")
  timeout    = "10m"
  depends_on = [task.win_wait.ready]

  retry {
    attempts = 3
    delay    = "10s"
  }
}
