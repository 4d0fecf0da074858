# A namespace, from a host that has an administrator's login.
stage "cluster" {}

task "kubectl_apply" "team" {
  stage   = "cluster"
  host    = run.hosts[0]
  content = <<-EOT
    apiVersion: v1
    kind: Namespace
    metadata:
      name: team
  EOT
}
