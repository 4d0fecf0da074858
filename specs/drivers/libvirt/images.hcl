# images: the base image of each system on every hypervisor that has guests with it. Container
# images go to the registry in the distribution's own tasks.

locals {
  guests_by_image = {
    for name, node in local.libvirt_linux :
    "${node.hypervisor}/${local.guest_pins[name]}" => { host = node.hypervisor, pin = local.guest_pins[name] }...
  }
  base_images = {
    for key, guests in local.guests_by_image :
    key => {
      host  = guests[0].host
      image = local.guest_images[guests[0].pin]
      path  = "${local.image_dir}/kinit-${substr(sha256(jsonencode(local.guest_images[guests[0].pin])), 0, 12)}.qcow2"
    }
  }
}

# libvirt asks QEMU what it can do the first time it needs to know, which takes
# long on a busy host: ask while images are on their way. A host that cannot run the
# wanted type of domain says so here.
task "command" "capabilities" {
  stage     = "images"
  when      = local.build
  hosts     = local.libvirt_hypervisors
  argv      = concat(local.virsh, ["domcapabilities", "--virttype", var.virt_type])
  read_only = true
}

task "download" "guest_image" {
  stage      = "images"
  for_each   = local.base_images
  host       = each.value.host
  url        = each.value.image.url
  dest       = each.value.path
  sha256     = each.value.image.sha256
  sha512     = each.value.image.sha512
  sha256_url = each.value.image.sha256_url
  sha512_url = each.value.image.sha512_url
  unverified = (
    var.guest_image == null &&
    join("", [for key in ["sha256", "sha512", "sha256_url", "sha512_url"] : each.value.image[key]]) == ""
  )
  pin     = true
  keep    = true
  timeout = "60m"
  advice  = "Hypervisors fetch this image. The variable guest_image names another, with its checksum."
}
