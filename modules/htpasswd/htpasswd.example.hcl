# A user of a web server, with a password that is made once.
stage "users" {}

task "secret" "admin" {
  stage = "users"
  hosts = run.hosts
  path  = "/root/web-admin.password"
}

task "htpasswd" "admin" {
  stage    = "users"
  hosts    = run.hosts
  path     = "/etc/nginx/htpasswd"
  user     = "admin"
  password = task.secret.admin[host.name].value
  mode     = "0640"
}
