# Whether the programs of Kubernetes are downloaded or built, and what is downloaded: upstream's
# release binaries, in the versions of the built ones, from sites in upstream's layouts.

variable "kubernetes_url" {
  type    = string
  default = null
  description = fold(<<-EOT
    Where the binaries of Kubernetes are, in the layout of the official release site, which is the default.
    EOT
  )
}

variable "etcd_url" {
  type    = string
  default = null
  description = fold(<<-EOT
    Where the releases of etcd are, in the layout of its project's, which are the default: URL/VERSION/ARCHIVE.
    EOT
  )
}

variable "coredns_url" {
  type        = string
  default     = null
  description = "Where the releases of CoreDNS are, likewise."
}

variable "flannel_url" {
  type        = string
  default     = null
  description = "Where the releases of flannel are, likewise."
}

variable "flannel_cni_url" {
  type        = string
  default     = null
  description = "Where the releases of flannel's CNI plugin are, likewise."
}

locals {
  # Programs by the pins of their files, and the variable that names another site.
  download_pins = {
    kubeadm        = { pin = "kubeadm", setting = "kubernetes_url", site = var.kubernetes_url }
    kubelet        = { pin = "kubelet", setting = "kubernetes_url", site = var.kubernetes_url }
    kubectl        = { pin = "kubectl", setting = "kubernetes_url", site = var.kubernetes_url }
    kube-apiserver = { pin = "kube_apiserver_program", setting = "kubernetes_url", site = var.kubernetes_url }
    kube-controller-manager = {
      pin     = "kube_controller_manager_program"
      setting = "kubernetes_url"
      site    = var.kubernetes_url
    }
    kube-scheduler = { pin = "kube_scheduler_program", setting = "kubernetes_url", site = var.kubernetes_url }
    kube-proxy     = { pin = "kube_proxy_program", setting = "kubernetes_url", site = var.kubernetes_url }
    etcd           = { pin = "etcd_program", setting = "etcd_url", site = var.etcd_url }
    etcdutl        = { pin = "etcd_program", setting = "etcd_url", site = var.etcd_url }
    coredns        = { pin = "coredns_program", setting = "coredns_url", site = var.coredns_url }
    flanneld       = { pin = "flannel_program", setting = "flannel_url", site = var.flannel_url }
    flannel-cni    = { pin = "flannel_cni_program", setting = "flannel_cni_url", site = var.flannel_cni_url }
  }

  # The versions of what is built. The lab's images and the suite of tests are made for these.
  modules = file("../files/kubernetes/go.mod.txt")
  built_versions = {
    kubernetes_url  = regex("k8s.io/kubernetes (v\\S+)", local.modules)[0]
    etcd_url        = regex("go.etcd.io/etcd/server/v3 (v\\S+)", local.modules)[0]
    coredns_url     = regex("github.com/coredns/coredns (v\\S+)", local.modules)[0]
    flannel_url     = regex("github.com/flannel-io/flannel (v\\S+)", local.modules)[0]
    flannel_cni_url = local.pins.flannel_cni_plugin.version
  }
  other_versions = [
    for name, d in local.download_pins :
    "${d.pin} ${local.pins[d.pin].version}"
    if local.pins[d.pin].version != local.built_versions[d.setting]
  ]

  # Where the files are, and the checksums beside them: on another site at the same place below
  # the version.
  release_files = {
    for name, d in local.download_pins :
    name => merge(
      { digest = trimprefix(local.pins[d.pin].digest, "sha256:"), setting = d.setting },
      {
        for key, url in { url = local.pins[d.pin].url, sums = local.pins[d.pin].sha256_url } :
        key => d.site == null ? url : replace(
          url,
          "/^.*\\/${local.pins[d.pin].version}\\//",
          "${trimsuffix(coalesce(d.site, "/"), "/")}/${local.pins[d.pin].version}/",
        )
      },
    )
  }

  # A digest is best. A checksum that comes from the same place as the file counts by https, or
  # where what is not pinned is allowed. flannel publishes none: it is built then.
  release_sums = {
    for name, f in local.release_files :
    name => f.sums if startswith(f.url, "https://") && startswith(f.sums, "https://") || var.allow_unpinned
  }
  release_checks = { for name, f in local.release_files : name =>
    f.digest != "" ? "digest ${f.digest}" :
    lookup(local.release_sums, name, "") != "" ? "published ${f.sums}" :
    var.allow_unpinned ? "unverified -" :
    startswith(f.setting, "flannel") ? "build -" : ""
  }
  unchecked = [for name, check in local.release_checks : name if check == ""]

  # Why nothing may be downloaded.
  refused_versions = fold(<<-EOT
    These pins have other versions than what is built (${join(", ", distinct(values(local.built_versions)))}), for
    which the lab's images are made: ${join(", ", local.other_versions)}.
    EOT
  )
  refused_checks = fold(<<-EOT
    There is neither a digest nor a checksum over https of what would be downloaded: ${join(", ", local.unchecked)}.
    Give --var-file FILE of 'kinit pins renew --file FILE', or allow it by --var allow_unpinned=true.
    EOT
  )
  refusal = (
    length(local.other_versions) > 0 ? local.refused_versions :
    length(local.unchecked) > 0 ? local.refused_checks : ""
  )

  # In the words of build-downloaded.sh.
  lines = join("\n", [
    for name, f in local.release_files :
    "${name} ${f.url} ${local.release_checks[name]} ${f.setting}"
  ])

  stamp_downloaded = substr(sha256("${local.inputs} ${local.lines}"), 0, 16)

  # What follows from the choice, by its word. What is made of the programs is of the one kind or
  # of the other, which its stamp says.
  by_choice = {
    download = {
      script   = "downloaded"
      stamp    = local.stamp_downloaded
      folder   = "downloaded"
      programs = "${var.lab_cache}/downloaded"
      given = {
        DOWNLOADS = local.lines
        CHOSEN = var.lab_artifacts != "auto" ? "" : fold(<<-EOT
          It was chosen because the release site answered, and nothing is built instead without being asked, because
          that takes minutes.
          EOT
        )
      }
    }
    build = { script = "kubernetes", stamp = local.stamp, folder = ".", programs = var.lab_cache, given = {} }
  }
}

task "assert" "sites" {
  stage = "artifacts"
  early = true

  condition {
    holds = alltrue([
      for d in values(local.download_pins) :
      d.site == null || can(regex("^https?://[^\\s@]+$", d.site))
    ])
    message = format("A site is http:// or https://, and has no user in it: %s.", join(", ", distinct([
      for d in values(local.download_pins) :
      d.setting if !(d.site == null || can(regex("^https?://[^\\s@]+$", d.site)))
    ])))
  }
}

# It looks, and asks the release site for a few bytes.
task "command" "choice" {
  stage = "artifacts"
  argv = [
    "sh", "-c", file("../files/choose.sh"), "choose", var.lab_cache, var.lab_artifacts,
    "${local.release_files.kubeadm.url}.sha256", ".made-downloaded-${local.stamp_downloaded}",
    ".made-kubernetes-${local.stamp}", local.refusal,
  ]
  read_only = true
}

task "debug" "choice" {
  stage   = "artifacts"
  message = trimspace(task.command.choice.stderr)
}
