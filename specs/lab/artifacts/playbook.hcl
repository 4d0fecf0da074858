# The list of what is fetched, and the variables that change it.
import {
  source = "pins"
}

variable "lab_cache" {
  type        = string
  description = "The folder that keeps the artifacts."
}

variable "lab_windows" {
  type        = string
  default     = ""
  description = "The simulator of Windows nodes, a static program. Without it there is no simulated Windows."
}

variable "lab_drivers" {
  type        = string
  default     = "libvirt,podman"
  description = "The drivers of nodes that the lab is for, with commas between: only what these need is made."
  validation {
    condition     = alltrue([for name in split(",", var.lab_drivers) : contains(["libvirt", "podman"], name)])
    error_message = "The drivers of nodes are libvirt and podman."
  }
}

variable "lab_artifacts" {
  type    = string
  default = "auto"
  description = fold(<<-EOT
    Where the programs of Kubernetes are from: download, build, or auto, which downloads where the release site
    answers.
    EOT
  )

  validation {
    condition     = contains(["auto", "download", "build"], var.lab_artifacts)
    error_message = "Artifacts are auto, download or build."
  }
}

variable "lab_stock" {
  type        = bool
  default     = false
  description = "Make what the lab's mirrors serve, too."
}

variable "lab_stock_all" {
  type    = bool
  default = false
  description = fold(<<-EOT
    The lab's mirrors serve Calico and the images of further addons, too. Building their programs takes long.
    EOT
  )
}

variable "lab_conformance" {
  type        = bool
  default     = false
  description = "Make the suite of Kubernetes' end-to-end tests and the images of its conformance tests, too."
}

variable "lab_upgrade" {
  type    = bool
  default = false
  description = fold(<<-EOT
    Make a second version of Kubernetes to upgrade to, too: the same sources, stamped with the next number.
    EOT
  )
}

variable "lab_minor" {
  type        = bool
  default     = false
  description = "Make the next minor version of Kubernetes, too, from its own sources: another version to upgrade to."
}

locals {
  drivers = split(",", var.lab_drivers)
  scripts = "${var.lab_cache}/scripts"
  sources = fileset("../files")

  # The checksum of all inputs: a changed script causes a rebuild, and an old artifact is
  # never used as a new one.
  inputs = sha256(join(
    "\n",
    concat([for name in local.sources : "${name} ${filesha256("../files/${name}")}"], [
      filesha256("../../pins.json"), local.busybox,
    ]),
  ))

  # Where the sources are, and their digest.
  source  = local.pins.busybox_source
  busybox = "${local.source.url} ${trimprefix(local.source.digest, "sha256:")}"
}

stage "artifacts" {}

task "directory" "scripts" {
  stage    = "artifacts"
  for_each = toset(concat([local.scripts], distinct([for name in local.sources : dirname("${local.scripts}/${name}")])))
  path     = each.key
  mode     = "0755"
}

task "copy" "script" {
  stage      = "artifacts"
  for_each   = toset(local.sources)
  dest       = "${local.scripts}/${each.key}"
  content    = file("../files/${each.key}")
  mode       = endswith(each.key, ".sh") ? "0755" : "0644"
  depends_on = [task.directory.scripts]
}

# The pins that ship with kinit, for scripts that name what is pinned.
task "copy" "pins" {
  stage      = "artifacts"
  dest       = "${local.scripts}/pins.json"
  content    = file("../../pins.json")
  mode       = "0644"
  depends_on = [task.directory.scripts]
}

# Builders that need nothing of each other run at the same time: Go uses all processors, and
# the packages of root file systems are loaded and unpacked meanwhile. A stamp named by the
# builder and the inputs says that it ran last with them; the script itself knows which of
# its artifacts are still good.
locals {
  build = ["sh", "${local.scripts}/stamped.sh", var.lab_cache]
  stamp = substr(local.inputs, 0, 16)
}

# Kubernetes, etcd, CoreDNS and flannel: downloads, or built from their Go modules.
task "command" "programs" {
  stage       = "artifacts"
  environment = local.by_choice[task.command.choice.stdout].given
  argv = concat(local.build, [
    local.by_choice[task.command.choice.stdout].script,
    local.by_choice[task.command.choice.stdout].stamp,
  ])
  creates = join("-", [
    "${var.lab_cache}/.made",
    local.by_choice[task.command.choice.stdout].script,
    local.by_choice[task.command.choice.stdout].stamp,
  ])
  timeout    = "60m"
  depends_on = [task.copy.script]
}

# Which of the two are used, for others that look into the folder.
task "command" "link" {
  stage = "artifacts"
  argv  = ["ln", "-sfn", local.by_choice[task.command.choice.stdout].folder, "${var.lab_cache}/programs"]
  unless = [
    "sh", "-c", "[ \"$(readlink \"$1\")\" = \"$2\" ]", "link", "${var.lab_cache}/programs",
    local.by_choice[task.command.choice.stdout].folder,
  ]
  depends_on = [task.command.programs]
}

# What needs no programs of Kubernetes.
locals {
  # When it is made, what ends its stamp because it is made of it too, and the environment of
  # its builder.
  bases = {
    # The hypervisors' image: a root file system with systemd, libvirt, OVN and podman.
    hypervisor = { when = true, suffix = "", environment = {} }
    # The image of the services pod.
    services = { when = true, suffix = "", environment = {} }
    # What nodes have in them, as containers and as guests.
    node-root  = { when = contains(local.drivers, "podman"), suffix = "", environment = {} }
    guest-root = { when = contains(local.drivers, "libvirt"), suffix = "", environment = {} }
    # The stock disk image of guests, at its place in the site that it is from.
    stock-guest = {
      when        = var.lab_stock && contains(local.drivers, "libvirt")
      suffix      = "-${substr(sha256(local.pins.debian_guest.url), 0, 8)}"
      environment = { PLACE = replace(local.pins.debian_guest.url, "/^https?://[^/]*\\//", "") }
    }
    # What clusters may choose and seldom do, built from Go modules with requirements of their own.
    calico         = { when = var.lab_stock && var.lab_stock_all, suffix = "", environment = {} }
    further-addons = { when = var.lab_stock && var.lab_stock_all, suffix = "", environment = {} }
    # What nodes with the simulated Windows download.
    winsim-programs = { when = var.lab_windows != "", suffix = "", environment = {} }
  }
}

task "command" "base" {
  stage       = "artifacts"
  for_each    = local.bases
  when        = each.value.when
  environment = each.value.environment
  argv        = concat(local.build, [each.key, "${local.stamp}${each.value.suffix}"])
  creates     = "${var.lab_cache}/.made-${each.key}-${local.stamp}${each.value.suffix}"
  timeout     = "60m"
  depends_on  = [task.copy.script, task.copy.pins]
}

locals {
  mirrored = join(" ", [for name, image in local.tagged : "${name}=${image}"])

  # Releases of the container runtime, by their places in the site.
  mirrored_releases = join(" ", [
    for name in ["containerd", "runc", "cni_plugins", "crictl"] :
    "${name}=${replace(local.pins[name].url, "/^https?:\\/\\/[^\\/]+\\//", "")}"
  ])
  stamp_mirrored = substr(sha256("${local.mirrored} ${local.mirrored_releases}"), 0, 8)
  stamp_mirror   = var.lab_stock_all ? "${local.stamp_mirrored}-all" : local.stamp_mirrored

  # The program that plays Windows, in stamps.
  simulator = var.lab_windows == "" ? "" : substr(filesha256(var.lab_windows), 0, 16)
}

# What is made of the programs of Kubernetes.
block "of_programs" {
  stage       = "artifacts"
  timeout     = "60m"
  environment = { PROGRAMS = local.by_choice[task.command.choice.stdout].programs }

  # Container images of what was built.
  task "command" "images" {
    argv       = concat(local.build, ["images", local.by_choice[task.command.choice.stdout].stamp])
    creates    = "${var.lab_cache}/.made-images-${local.by_choice[task.command.choice.stdout].stamp}"
    depends_on = [task.command.programs, task.copy.pins]
  }

  # The image of nodes that are containers.
  task "command" "node" {
    when       = contains(local.drivers, "podman")
    argv       = concat(local.build, ["node", local.by_choice[task.command.choice.stdout].stamp])
    creates    = "${var.lab_cache}/.made-node-${local.by_choice[task.command.choice.stdout].stamp}"
    depends_on = [task.command.base["node-root"], task.command.programs]
  }

  # Images that hypervisors use, unpacked once for all of them.
  task "command" "store" {
    argv = concat(local.build, [
      "store", "${local.by_choice[task.command.choice.stdout].stamp}-${var.lab_drivers}",
    ])
    creates    = "${var.lab_cache}/.made-store-${local.by_choice[task.command.choice.stdout].stamp}-${var.lab_drivers}"
    depends_on = [task.command.base["services"], task.command.node]
  }

  # The guests' disk image, with the container images in it.
  task "command" "guest" {
    when       = contains(local.drivers, "libvirt")
    argv       = concat(local.build, ["guest", local.by_choice[task.command.choice.stdout].stamp])
    creates    = "${var.lab_cache}/.made-guest-${local.by_choice[task.command.choice.stdout].stamp}"
    depends_on = [task.command.base["guest-root"], task.command.images]
  }

  # What the lab's mirrors serve to nodes of stock images.
  task "command" "mirror" {
    when        = var.lab_stock
    environment = { PINS = local.mirrored, RELEASES = local.mirrored_releases }
    argv = concat(local.build, [
      "mirror", "${local.by_choice[task.command.choice.stdout].stamp}-${local.stamp_mirror}",
    ])
    creates = join("-", [
      "${var.lab_cache}/.made-mirror", local.by_choice[task.command.choice.stdout].stamp, local.stamp_mirror,
    ])
    depends_on = [
      task.command.base["services"], task.command.base["calico"], task.command.base["further-addons"],
      task.command.images, task.copy.pins,
    ]
  }

  # A second version, of the same sources, for tests of upgrades.
  task "command" "upgrade" {
    when       = var.lab_upgrade
    argv       = concat(local.build, ["upgrade", local.by_choice[task.command.choice.stdout].stamp])
    creates    = "${var.lab_cache}/.made-upgrade-${local.by_choice[task.command.choice.stdout].stamp}"
    depends_on = [task.command.images]
  }

  # The next minor version.
  task "command" "minor" {
    when       = var.lab_minor
    argv       = concat(local.build, ["minor", local.by_choice[task.command.choice.stdout].stamp])
    creates    = "${var.lab_cache}/.made-minor-${local.by_choice[task.command.choice.stdout].stamp}"
    timeout    = "60m"
    depends_on = [task.command.images]
  }

  # The suite of Kubernetes' end-to-end tests: its programs, and the images of its tests.
  task "command" "conformance_programs" {
    when        = var.lab_conformance
    environment = { BUSYBOX = local.busybox }
    argv        = concat(local.build, ["conformance-programs", local.stamp])
    creates     = "${var.lab_cache}/.made-conformance-programs-${local.stamp}"
    depends_on  = [task.command.programs]
  }

  task "command" "conformance" {
    when        = var.lab_conformance
    environment = { BUSYBOX = local.busybox }
    argv        = concat(local.build, ["conformance", local.by_choice[task.command.choice.stdout].stamp])
    creates     = "${var.lab_cache}/.made-conformance-${local.by_choice[task.command.choice.stdout].stamp}"
    depends_on  = [task.command.conformance_programs, task.command.images]
  }

  # The media that guests with the simulated Windows boot from.
  task "command" "winsim" {
    when        = var.lab_windows != "" && contains(local.drivers, "libvirt")
    environment = { WINSIM = var.lab_windows }
    argv        = concat(local.build, ["winsim", "${local.stamp}-${local.simulator}"])
    creates     = "${var.lab_cache}/.made-winsim-${local.stamp}-${local.simulator}"
    depends_on  = [task.command.guest, task.command.base["winsim-programs"]]
  }
}
