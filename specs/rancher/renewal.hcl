# renewal: "kinit certs --renew" has nothing to do.

task "assert" "renewal" {
  for_each = toset(run.renew ? ["certificates"] : [])
  stage    = "validate"
  early    = true

  condition {
    holds = false
    message = fold(<<-EOT
      There is nothing to renew: ${local.rancher} renews its certificates itself, in the last months of their life,
      when its service starts. To renew them, restart that service on one server after the other, and then on the
      agents. Those of kinit are renewed by 'kinit run'.
      EOT
    )
  }
}
