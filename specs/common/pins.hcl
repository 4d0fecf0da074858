# What this cluster fetches without a digest; the pins themselves are in specs/pins.

import {
  source = "pins"
}

locals {
  unpinned = [
    for name in concat(local.service_pins, local.driver_pins, local.distribution_pins) :
    name if local.pins[name].digest == ""
  ]
}

task "assert" "pins" {
  stage = "validate"
  when  = local.build && !var.allow_unpinned

  condition {
    holds = length(local.unpinned) == 0
    message = fold(<<-EOT
      What would be fetched has no digest that it could be held to: ${join(", ", local.unpinned)}. Run
      'kinit pins renew --file pins.json' once and give runs --var-file pins.json; or allow it by --var
      allow_unpinned=true.
      EOT
    )
  }
}
