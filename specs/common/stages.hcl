# The stages of all clusters, in the order of a run. Folders that import this one add theirs; a test compares the
# table with the stage blocks of all folders.
#
# | prepare  | -               | common     |  packages, services and facts of hosts
# | cleanup  | prepare         | common     |  what the spec no longer has is removed
# | validate | cleanup         | common     |  every problem is reported before anything is built
# | images   | validate        | common     |  images are fetched, while the network is made
# | places   | validate        | common     |  the record of the cluster is written
# | network  | places          | common     |  the overlay
# | services | network         | common     |  load balancer, DNS, registry and file server
# | nodes    | network, images | common     |  the nodes start
# | upgrade  | nodes, services | kubernetes |  nodes that exist get another version
# | cluster  | upgrade         | kubernetes |  the control plane
# | computes | cluster         | kubeadm    |  the other nodes join
# | servers  | cluster         | rancher    |  servers join, one after the other
# | computes | servers         | rancher    |  agents join
# | drain    | computes        | kubernetes |  nodes that leave are drained
# | leave    | drain           | kubernetes |  nodes that leave are removed
# | verify   | leave           | kubernetes |  the cluster is checked
# | leave    | services, nodes | bare       |  the same where there is no Kubernetes
# | verify   | leave           | bare       |  nodes reach the services and each other

stage "prepare" {}
stage "cleanup" { after = ["prepare"] }
stage "validate" { after = ["cleanup"] }
stage "places" { after = ["validate"] }
stage "network" { after = ["places"] }
stage "services" { after = ["network"] }
stage "images" { after = ["validate"] }
stage "nodes" { after = ["network", "images"] }
