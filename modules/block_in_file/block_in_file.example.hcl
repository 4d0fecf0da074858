# Names of the hosts of an application, in everybody's /etc/hosts.
stage "names" {}

task "block_in_file" "hosts" {
  stage  = "names"
  hosts  = run.hosts
  path   = "/etc/hosts"
  marker = "# {mark} hosts of the application"
  block  = <<-EOT
    192.0.2.10 app1.example.org
    192.0.2.11 app2.example.org
  EOT
  backup = true
}
