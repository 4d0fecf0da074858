# A password that no one has ever seen, and a token that is encrypted in this file.

# Made at random by the first run and kept on the database's host, where only root can
# read it. A new one is made when that file is removed.
secret "database" {
  kind       = "password"
  host       = groups.db[0]
  path       = "/etc/shop/database-password"
  length     = 32
  depends_on = [task.directory.shop]
}

# Encrypted for those who may roll the shop out: only they can read it, and anybody can
# replace it.
secret "payment_token" {
  encrypted = <<-AGE
    -----BEGIN AGE ENCRYPTED FILE-----
    YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBZQTNsbUtoblRCM3ZPbVRw
    ZXNtN1ZMMW9KN1YwdGU0UFFlNzEyU2xIMFVNCkEyUXo1SGg1NkFOaEMzYlVkM2Yx
    V3g3dTVMTkRDNGFQeURJd2xmUFB6aFUKLS0tIFhJei9FUUlzRHorMEZTOGFpd3B4
    VGl5RnZ2RzJmZm82SkZqMCtJR2dTOXcKZo93p66z3Wjyq5PA5vfpFX6c1R64/3Xx
    eoGixeujrUw9A7UhsA4+c1h0GMMR4OiM
    -----END AGE ENCRYPTED FILE-----
  AGE
}

# Made at random too: a key pair, of which others may know a half.
secret "backup" {
  kind       = "ssh_key"
  host       = groups.db[0]
  path       = "/etc/shop/backup-key"
  depends_on = [task.directory.shop]
}

stage "shop" {}

stage "look" {
  after = ["shop"]
}

task "directory" "shop" {
  stage = "shop"
  hosts = groups.all
  path  = "/etc/shop"
  mode  = "0700"
}

# What has a secret in it is a secret itself: it is in no output, diff, log or report.
task "template" "settings" {
  stage      = "shop"
  hosts      = groups.web
  dest       = "/etc/shop/settings.ini"
  template   = file("settings.ini")
  vars       = { database = hosts[groups.db[0]].address, password = secret.database, token = secret.payment_token }
  mode       = "0600"
  depends_on = [task.directory.shop]
}

task "copy" "backup" {
  stage      = "shop"
  hosts      = groups.web
  dest       = "/etc/shop/backup-key.pub"
  content    = "${secret.backup.public_key}\n"
  mode       = "0644"
  depends_on = [task.directory.shop]
}

# A secret reaches a program by its environment, never by its arguments, which
# everybody on the host can see.
task "command" "token_fits" {
  stage       = "look"
  hosts       = groups.web
  argv        = ["sh", "-c", "test \"$(sed -n 's/^token = //p' /etc/shop/settings.ini)\" = \"$TOKEN\""]
  environment = { TOKEN = secret.payment_token }
  read_only   = true
}

output "backup_key" {
  value = secret.backup.public_key
}
