# computes: all further nodes join at the same time.

task "kubeadm_join" "compute" {
  stage            = "computes"
  for_each         = { for n in local.computes : n.name => n if !startswith(n.os, "windows") }
  host             = each.key
  config           = task.kubeadm_config.join[each.key].path
  ignore_preflight = var.ignore_preflight
  timeout          = var.cluster_timeout

  # A busy API server may not answer at once; a join that failed half-way is reset.
  retry {
    attempts = 3
    delay    = "10s"
  }
}
