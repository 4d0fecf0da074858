# windows: machines that exist and run Windows. What the cluster makes there has no marks: a
# record says, before anything is made, what that will be and what of it was there already.

locals {
  windows_machines = [for name, node in local.host_nodes : name if startswith(node.os, "windows")]
  windows_folder   = "C:/ProgramData/kinit/clusters/${cluster.name}"

  # The way to the overlay, for machines beside it: none where there is no overlay.
  windows_beside  = local.overlay ? local.windows_machines : []
  windows_overlay = { network = cidrhost(cluster.network.cidr, 0), mask = cidrnetmask(cluster.network.cidr) }

  windows_left = { cluster = cluster.name, folder = local.windows_folder }
  windows_line = "${local.services_address} ${join(" ", local.services_names)}"
}

block "windows_machines_validate" {
  stage = "validate"
  when  = local.build
  hosts = local.windows_machines

  # Kubernetes and its network need Windows Server 2019 or later.
  task "win_facts" "machine" {
  }

  task "win_powershell" "taken" {
    script    = file("files/windows-taken.ps1")
    arguments = { cluster = cluster.name, traces = local.windows_traces, names = local.services_names }
    read_only = true
  }
}

task "assert" "windows_machines" {
  stage = "validate"
  when  = local.build && length(local.windows_machines) > 0

  condition {
    holds = alltrue([
      for name in local.windows_machines :
      task.win_facts.machine[name].server && task.win_facts.machine[name].build >= 17763
    ])
    message = format("Nodes run Windows Server 2019 or later: %s.", join(", ", [
      for name in local.windows_machines :
      "${name} is ${task.win_facts.machine[name].os_name}"
      if !task.win_facts.machine[name].server || task.win_facts.machine[name].build < 17763
    ]))
  }
}

block "windows_machines" {
  stage = "nodes"
  hosts = local.windows_machines

  # Anyone who can write here decides what the system runs at clean-up.
  task "win_file" "machine" {
    path    = local.windows_folder
    private = true
  }

  # How the machine leaves the cluster, written before it joins: clean-up needs nothing else.
  task "win_copy" "leave" {
    dest       = "${local.windows_folder}/leave.ps1"
    content    = "${file("files/windows-leave.ps1")}${local.windows_leave_script}${file("files/windows-left.ps1")}"
    depends_on = [task.win_file.machine]
  }

  task "win_powershell" "record" {
    script = file("files/windows-record.ps1")
    arguments = merge(local.windows_left, {
      traces = merge(local.windows_traces, {
        route = merge(local.windows_overlay, {
          gateway = local.overlay ? task.facts.underlay[local.services.hypervisor].route_address : ""
        })
      })
    })
    creates    = "${local.windows_folder}/record.json"
    depends_on = [task.win_copy.leave]
  }

  # One that has left and comes back has not left.
  task "win_file" "left" {
    path       = "${local.windows_folder}/left"
    state      = "absent"
    depends_on = [task.win_file.machine]
  }

  # The names of the services; the machine's own name servers stay.
  task "win_powershell" "services" {
    script     = file("files/windows-hosts.ps1")
    unless     = file("files/windows-hosts-there.ps1")
    arguments  = { cluster = cluster.name, line = local.windows_line }
    depends_on = [task.win_powershell.record, task.win_file.left]
  }
}

task "win_powershell" "overlay" {
  stage      = "nodes"
  hosts      = local.windows_beside
  script     = file("files/windows-route.ps1")
  unless     = file("files/windows-route-there.ps1")
  arguments  = merge(local.windows_overlay, { gateway = task.facts.underlay[local.services.hypervisor].route_address })
  depends_on = [task.win_powershell.record, task.win_file.left]
}

block "windows_machines_leave" {
  stage = "cleanup"
  when  = local.remove_all
  hosts = local.windows_machines

  # Whether the machine is in the cluster, and whether Windows has networks of containers.
  task "win_powershell" "member" {
    script    = file("files/windows-member.ps1")
    arguments = local.windows_left
    read_only = true
  }

  task "win_powershell" "leave_machine" {
    script = "& \"$($Arguments.folder)/leave.ps1\""
    only_if = fold(<<-EOT
      if (-not [IO.File]::Exists("$($Arguments.folder)/leave.ps1") -or
      -not [IO.File]::Exists("$($Arguments.folder)/record.json") -or
      [IO.File]::Exists("$($Arguments.folder)/left")) { exit 1 }
      EOT
    )
    arguments  = local.windows_left
    timeout    = "15m"
    depends_on = [task.win_powershell.member]
  }

  # With the last of them the machine's address goes back to its own adapter, which ends
  # connections for a while.
  task "win_hns_network" "left" {
    when = strcontains(try(task.win_powershell.member[each.value.machine].stdout, ""), "networks")
    for_each = {
      for pair in setproduct(local.windows_machines, local.windows_traces.networks) :
      "${pair[0]}/${pair[1]}" => { machine = pair[0], name = pair[1] }
    }
    host       = each.value.machine
    name       = each.value.name
    state      = "absent"
    depends_on = [task.win_powershell.leave_machine]
  }

  task "win_powershell" "forget" {
    script     = file("files/windows-forget.ps1")
    removes    = local.windows_folder
    arguments  = local.windows_left
    depends_on = [task.win_hns_network.left]
  }

  # 1 where the machine is still in the cluster.
  task "win_powershell" "leftovers" {
    script     = "[int][IO.Directory]::Exists($Arguments.folder)"
    arguments  = local.windows_left
    read_only  = true
    depends_on = [task.win_powershell.forget]
  }
}
