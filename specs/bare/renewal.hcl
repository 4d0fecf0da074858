# renewal: "kinit certs --renew" has nothing to do.

task "assert" "renewal" {
  for_each = toset(run.renew ? ["certificates"] : [])
  stage    = "validate"
  early    = true

  condition {
    holds = false
    message = fold(<<-EOT
      The cluster ${cluster.name} has no Kubernetes, and so no certificates of it to renew. Those of kinit are renewed
      by 'kinit run'.
      EOT
    )
  }
}
