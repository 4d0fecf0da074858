# images: the guests' base image on every hypervisor that has nodes. Container
# images go to the registry in the distribution's own tasks.

locals {
  base_image = "${local.image_dir}/kinit-${substr(sha256(jsonencode(local.guest_image)), 0, 12)}.qcow2"
}

# libvirt asks QEMU what it can do the first time it needs to know, which takes
# long on a busy host: ask while images are on their way. A host that cannot run the
# wanted type of domain says so here.
task "command" "capabilities" {
  stage     = "images"
  when      = local.build
  hosts     = local.libvirt_hypervisors
  argv      = ["virsh", "--connect", "qemu:///system", "domcapabilities", "--virttype", var.virt_type]
  read_only = true
}

task "download" "guest_image" {
  stage      = "images"
  hosts      = local.linux_hypervisors
  url        = local.guest_image.url
  dest       = local.base_image
  sha256     = local.guest_image.sha256
  sha512     = local.guest_image.sha512
  sha256_url = local.guest_image.sha256_url
  sha512_url = local.guest_image.sha512_url
  unverified = var.guest_image == null && "${local.guest_image.sha256}${local.guest_image.sha256_url}${local.guest_image.sha512_url}" == ""
  pin        = true
  keep       = true
  timeout    = "60m"
}
