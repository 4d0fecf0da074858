# What the examples need to know beside the inventory of a lab with the hosts web1,
# web2 and db1: who is what, and what is on a lab's hosts already, since no mirror of
# packages can be reached from them.

group "web" {
  hosts = ["web1", "web2"]
}

group "db" {
  hosts = ["db1"]
}

# The balancer needs little, so it shares a host with the database. To give it one of
# its own, name that here.
group "lb" {
  hosts = ["db1"]
}

vars = {
  etcd = "/srv/kinit/etcd"
}
