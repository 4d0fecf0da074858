# Three hypervisors keep OVN's northbound database together: the first one's content, which the
# others get.
stage "network" {}

task "ovn_member" "first" {
  stage    = "network"
  host     = run.hosts[0]
  database = "northbound"
  address  = "ssl:192.0.2.1:6643"
  unit     = "ovn-nb-member.service"
}

task "ovn_member" "other" {
  stage      = "network"
  for_each   = { for place, name in run.hosts : name => place + 1 if place > 0 }
  host       = each.key
  database   = "northbound"
  address    = "ssl:192.0.2.${each.value}:6643"
  join       = ["ssl:192.0.2.1:6643"]
  unit       = "ovn-nb-member.service"
  depends_on = [task.ovn_member.first]
}
