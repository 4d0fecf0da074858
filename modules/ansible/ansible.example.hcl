# Three of Ansible's modules: one of a collection, one with a secret argument, and one that
# only looks.
task "ansible" "setting" {
  hosts  = run.hosts
  module = "community.general.ini_file"
  args = {
    path    = "/etc/app.ini"
    section = "server"
    option  = "port"
    value   = "8080"
    mode    = "0644"
  }
}

variable "password_hash" {
  sensitive = true
  default   = "!no-password"
}

task "ansible" "account" {
  hosts       = run.hosts
  module      = "ansible.builtin.user"
  args        = { name = "app", groups = ["adm"], append = true }
  secret_args = { password = var.password_hash }
}

task "ansible" "look" {
  hosts      = run.hosts
  module     = "ansible.builtin.stat"
  args       = { path = "/etc/app.ini" }
  depends_on = [task.ansible.setting]
}

output "sizes" {
  value = { for name, look in task.ansible.look : name => look.result.stat.size }
}
