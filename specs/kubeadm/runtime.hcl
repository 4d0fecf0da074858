# runtime: where the container runtime of Linux nodes is from: the packages of their system, or
# upstream's releases, which are unpacked below /usr/local and go at clean-up.

variable "container_runtime" {
  type    = string
  default = "packages"
  description = fold(<<-EOT
    Where the container runtime of Linux nodes is from: packages (containerd, runc and CNI plugins of their system) or
    upstream (the pinned releases of these and of crictl, below /usr/local).
    EOT
  )

  validation {
    condition     = contains(["packages", "upstream"], var.container_runtime)
    error_message = "The container runtime is \"packages\" or \"upstream\"."
  }
}

variable "runtime_url" {
  type    = string
  default = null
  description = fold(<<-EOT
    Where upstream's releases of the container runtime are, in the layout of github.com, which is the default:
    URL/OWNER/PROJECT/releases/download/VERSION/FILE.
    EOT
  )

  validation {
    condition     = var.runtime_url == null || can(regex("^https?://[^\\s@]+$", var.runtime_url))
    error_message = "A site is http:// or https://, and has no user in it."
  }
}

locals {
  runtime_upstream = var.container_runtime == "upstream"
  runtime_packages = local.runtime_upstream ? [] : ["containerd", "runc", "containernetworking-plugins"]
  runtime_nodes    = local.runtime_upstream ? local.all_nodes : []
  runtime_root     = "/usr/local/lib/kinit/runtime"
  runtime_advice = fold(<<-EOT
    Nodes fetch the container runtime by themselves. The variable runtime_url names another site with the layout of
    github.com, and container_runtime = "packages" takes the packages of the nodes' system.
    EOT
  )

  # Where the CNI plugins are, before the folder that containerd and the network of pods look in.
  cni_folder = local.runtime_upstream ? "${local.runtime_root}/cni" : "/usr/lib/cni"

  # The files, and where each is kept. What is an archive is unpacked beside it.
  runtime_pins = { containerd = "containerd", runc = "runc", cni = "cni_plugins", crictl = "crictl" }
  runtime_files = {
    for name, pin in local.runtime_pins :
    name => merge(local.downloads[pin], {
      for key in ["url", "sha256_url"] :
      key => var.runtime_url == null
      ? local.downloads[pin][key]
      : replace(local.downloads[pin][key], "/^https?:\\/\\/[^\\/]+/", trimsuffix(var.runtime_url, "/"))
    })
  }
  runtime_dest = {
    containerd = "${local.runtime_root}/containerd.tar.gz"
    runc       = "/usr/local/sbin/runc"
    cni        = "${local.runtime_root}/cni.tgz"
    crictl     = "${local.runtime_root}/crictl.tar.gz"
  }

  # Programs that people and other programs call by their names.
  runtime_links = {
    containerd              = "containerd/bin/containerd"
    containerd-shim-runc-v2 = "containerd/bin/containerd-shim-runc-v2"
    ctr                     = "containerd/bin/ctr"
    crictl                  = "crictl/crictl"
  }
}

block "runtime" {
  stage = "cluster"
  hosts = local.runtime_nodes

  task "directory" "runtime" {
    path = local.runtime_root
    mode = "0755"
  }

  task "download" "runtime" {
    for_each = {
      for pair in setproduct(local.runtime_nodes, keys(local.runtime_files)) :
      "${pair[0]}/${pair[1]}" => { node = pair[0], name = pair[1] }
    }
    host       = each.value.node
    url        = local.runtime_files[each.value.name].url
    sha256     = local.runtime_files[each.value.name].sha256
    sha512     = local.runtime_files[each.value.name].sha512
    sha256_url = local.runtime_files[each.value.name].sha256_url
    unverified = join("", [
      for key in ["sha256", "sha512", "sha256_url"] : local.runtime_files[each.value.name][key]
    ]) == ""
    dest       = local.runtime_dest[each.value.name]
    mode       = each.value.name == "runc" ? "0755" : "0644"
    timeout    = "20m"
    advice     = local.runtime_advice
    depends_on = [task.directory.runtime]
  }

  task "unarchive" "runtime" {
    for_each = {
      for pair in setproduct(local.runtime_nodes, ["containerd", "cni", "crictl"]) :
      "${pair[0]}/${pair[1]}" => { node = pair[0], name = pair[1] }
    }
    host       = each.value.node
    archive    = local.runtime_dest[each.value.name]
    dest       = "${local.runtime_root}/${each.value.name}"
    owner      = "root"
    group      = "root"
    depends_on = [task.download.runtime]
  }

  task "link" "runtime" {
    for_each = {
      for pair in setproduct(local.runtime_nodes, keys(local.runtime_links)) :
      "${pair[0]}/${pair[1]}" => { node = pair[0], name = pair[1] }
    }
    host       = each.value.node
    path       = "/usr/local/bin/${each.value.name}"
    target     = "${local.runtime_root}/${local.runtime_links[each.value.name]}"
    advice     = "With container_runtime = \"packages\" nodes keep the programs that they have."
    depends_on = [task.unarchive.runtime]
  }

  # It has precedence over the unit of a package. The service starts it when its configuration is there.
  task "copy" "containerd_unit" {
    dest       = "/etc/systemd/system/containerd.service"
    content    = file("files/containerd.service")
    mode       = "0644"
    depends_on = [task.link.runtime]
  }
}
