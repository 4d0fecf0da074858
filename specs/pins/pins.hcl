# pins: what is fetched from elsewhere by default, each with its version and its digest.
# They are in pins.json, which "kinit pins" shows, checks and renews; a file that
# it has written takes their place, entry by entry, by --var-file.
#
# Offers:
#   local.downloads     files, in the words of the module download
#   local.pinned        images with their digests
#   local.pins          the pins
#   local.tagged        images with their tags
#   var.allow_unpinned  whether what has no digest may be fetched

variable "pins" {
  type = map(object({
    used       = optional(string, "")
    version    = string
    image      = optional(string, "")
    url        = optional(string, "")
    sha256_url = optional(string, "")
    sha512_url = optional(string, "")
    digest     = optional(string, "")
  }))
  default     = {}
  description = "Pins in place of those that ship with kinit, by their names: a file of \"kinit pins renew\" sets it."
  validation {
    condition = length(setsubtract(keys(var.pins), keys(jsondecode(file("../pins.json")).pins))) == 0
    error_message = fold(<<-EOT
      These pins have names that this kinit does not know:
      ${join(", ", setsubtract(keys(var.pins), keys(jsondecode(file("../pins.json")).pins)))}. 'kinit pins' lists
      those that it knows.
      EOT
    )
  }
  validation {
    condition = alltrue([for pin in values(var.pins) : (pin.image == "") != (pin.url == "")])
    error_message = fold(<<-EOT
      A pin has an image or a url, and not both:
      ${join(", ", [for name, pin in var.pins : name if(pin.image == "") == (pin.url == "")])}.
      EOT
    )
  }
  validation {
    condition = alltrue([
      for pin in values(var.pins) :
      pin.digest == "" ||
      can(regex("^sha256:[0-9a-f]{64}$", pin.digest)) ||
      pin.url != "" && can(regex("^sha512:[0-9a-f]{128}$", pin.digest))
    ])
    error_message = format(fold(<<-EOT
      A digest is sha256: and 64 hexadecimal digits, or of a file sha512: and 128: %s.
      EOT
      ), join(", ", [
        for name, pin in var.pins :
        name
        if pin.digest != "" &&
        !can(regex("^sha256:[0-9a-f]{64}$", pin.digest)) &&
        !(pin.url != "" && can(regex("^sha512:[0-9a-f]{128}$", pin.digest)))
    ]))
  }
}

variable "allow_unpinned" {
  type    = bool
  default = false
  description = fold(<<-EOT
    Fetch what has no digest in the pins as it comes, checked against what its site publishes beside it where that is
    so.
    EOT
  )
}

locals {
  pins = { for name, pin in jsondecode(file("../pins.json")).pins : name =>
    merge({ image = "", url = "", sha256_url = "", sha512_url = "", digest = "" }, lookup(var.pins, name, pin))
  }

  # Images: by the names that nodes know them by, and as they are fetched.
  tagged = { for name, pin in local.pins : name => "${pin.image}:${pin.version}" if pin.image != "" }
  pinned = {
    for name, pin in local.pins :
    name => pin.digest == "" ? local.tagged[name] : "${pin.image}@${pin.digest}"
    if pin.image != ""
  }

  # Files, in the words of the module download: the digest, or else what is published.
  downloads = { for name, pin in local.pins : name => {
    url        = pin.url
    sha256     = startswith(pin.digest, "sha256:") ? trimprefix(pin.digest, "sha256:") : ""
    sha512     = startswith(pin.digest, "sha512:") ? trimprefix(pin.digest, "sha512:") : ""
    sha256_url = pin.digest == "" ? pin.sha256_url : ""
    sha512_url = pin.digest == "" ? pin.sha512_url : ""
  } if pin.url != "" }
}
