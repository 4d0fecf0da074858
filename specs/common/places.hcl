# places: each hypervisor keeps the places of the whole cluster before anything has one of them.
# The next run reads that first, from anywhere, and leaves what exists where it is.

task "directory" "root" {
  stage = "places"
  hosts = local.hypervisors
  path  = local.cluster_folder
  mode  = "0700"
}

task "copy" "record" {
  stage      = "places"
  hosts      = local.hypervisors
  dest       = cluster.record.path
  content    = cluster.record.text
  mode       = "0600"
  depends_on = [task.directory.root]
}
