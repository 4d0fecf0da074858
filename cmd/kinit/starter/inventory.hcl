# The hosts to work on. This one is the machine kinit runs on.
host "localhost" {
  transport = "local"
}

# Others are reached over SSH, with your keys and ~/.ssh/config:
#
# host "web1" {
#   address = "192.0.2.10"
#   user    = "root"
# }
#
# group "web" {
#   hosts = ["web1"]
#   vars  = { message = "hello from the web" }
# }
