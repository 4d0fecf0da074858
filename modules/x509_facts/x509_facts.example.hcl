# When do the certificates of a web server end?
stage "read" {}

task "x509_facts" "web" {
  stage = "read"
  hosts = run.hosts
  paths = ["/etc/ssl/web/*.crt"]
}

output "ends" {
  value = { for name, task in task.x509_facts.web : name => [for c in task.certificates : "${c.path} ${c.not_after}"] }
}
