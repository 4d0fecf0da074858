# sample: a workload on every Linux node, by which verification sees that the cluster serves.

locals {
  sample = templatefile("files/sample.yaml", {
    image     = local.sample_image
    node_port = local.ingress_served ? 0 : var.ingress_node_ports["80"] # none: an addon serves there
    checks    = { for name in ["all", "one"] : name => file("files/sample-${name}.sh") }
  })
}
