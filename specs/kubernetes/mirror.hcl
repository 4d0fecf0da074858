# mirror: images that users name, in the cluster's registry under their names. Nodes ask it
# first for any image, so they need no way out for these.

variable "mirror_images" {
  type    = list(string)
  default = []
  description = fold(<<-EOT
    Images that are copied into the cluster's registry, by the names that pods give them, so that nodes need no way
    out for them. One with a digest is copied for all its platforms; one with a tag is copied once.
    EOT
  )

  validation {
    # A registry, a path, and a tag or a digest.
    condition = alltrue([
      for name in var.mirror_images :
      can(regex(join("", [
        "^([a-zA-Z0-9.-]+(:[0-9]+)?/)?",
        "[a-z0-9._-]+(/[a-z0-9._-]+)*",
        "(:[A-Za-z0-9_][A-Za-z0-9._-]*|(:[A-Za-z0-9_][A-Za-z0-9._-]*)?@sha256:[0-9a-f]{64})$",
      ]), name))
    ])
    error_message = format(fold(<<-EOT
      These are no names of images with a tag or a digest, such as mirror.example:5000/team/app:1.0: %s.
      EOT
      ), join(", ", [
        for name in var.mirror_images :
        name if !can(regex(join("", [
          "^([a-zA-Z0-9.-]+(:[0-9]+)?/)?",
          "[a-z0-9._-]+(/[a-z0-9._-]+)*",
          "(:[A-Za-z0-9_][A-Za-z0-9._-]*|(:[A-Za-z0-9_][A-Za-z0-9._-]*)?@sha256:[0-9a-f]{64})$",
        ]), name))
    ]))
  }
}

variable "registry_logins" {
  type      = map(object({ user = string, password = string }))
  default   = {}
  sensitive = true
  description = fold(<<-EOT
    Who pulls the images of the cluster's registry from other registries, by the name of a registry; where
    image_mirrors names a mirror, by the mirror's name.
    EOT
  )
}

locals {
  # Names as container runtimes complete them: app:1 is library/app:1 of docker.io. Of a tag and
  # a digest, the digest counts.
  mirror_hosts = [
    for name in var.mirror_images :
    can(regex("^([^/]*[.:][^/]*|localhost)/", name)) ? name : "docker.io/${name}"
  ]
  mirror_paths  = [for name in local.mirror_hosts : replace(name, "/^(docker\\.io/)([^/]+)$/", "$${1}library/$2")]
  mirror_images = distinct([for name in local.mirror_paths : replace(name, "/:[^/:@]+@/", "@")])

  # The registry knows an image by its name without the host it came from: a mirror
  # is asked for what follows the first slash.
  repository = {
    for name in distinct(concat(keys(local.container_images), local.mirror_images)) :
    name => replace(name, "/^[^/]*\\//", "")
  }
  namesakes = { for name, repository in local.repository : repository => name... }

  # What is pushed, in the words of push.sh. An index has the digest that it was named by only
  # with all its platforms, and nodes with Windows have another platform than the others.
  pushed = concat(
    [
      for name, source in local.container_images :
      "${contains(local.windows_images, name) ? "all:" : ""}${source}=${local.repository[name]}"
    ],
    [
      for name in local.mirror_images :
      "${can(regex("@", name)) || local.has_windows ? "all:" : ""}docker://${name}=${local.repository[name]}"
      if !contains(keys(local.container_images), name)
    ],
  )
}

task "assert" "mirror" {
  stage = "validate"
  when  = local.build
  early = true

  condition {
    holds = length(local.namesakes) == length(local.repository)
    message = fold(<<-EOT
      The cluster's registry knows images by what follows the first slash of their names, which these have in common:
      ${join("; ", [for names in values(local.namesakes) : join(" and ", names) if length(names) > 1])}.
      EOT
    )
  }
}
