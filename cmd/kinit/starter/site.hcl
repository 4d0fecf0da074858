# A spec says which playbook is used, and with which values.
#
#   kinit validate site.hcl    # checks it, touches no host
#   kinit plan site.hcl        # reads the hosts and shows what would change
#   kinit run site.hcl         # does it; the second time there is nothing to do
spec "site" {
  playbook = "playbook"

  vars = {
    message = "hello"
  }
}
