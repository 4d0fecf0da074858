# A cluster whose only node is a machine that exists and runs Windows: the driver's own
# tasks, and in place of a distribution one of each kind of thing that Kubernetes brings.
import {
  source = "./host"
}

variable "network" {
  type    = string
  default = "10.0.0.0/24"
}

driver "host" {
  summary  = "machines that exist"
  existing = true
}

cluster "site" {
  network { cidr = var.network }
  pool "compute" { hosts = ["w1"] }
}

locals {
  host_nodes       = cluster.nodes
  build            = run.stop_after != "cleanup"
  remove_all       = run.stop_after == "cleanup"
  overlay          = true
  services_address = "10.0.0.253"
  services_names   = ["api.site.kinit.local", "registry.site.kinit.local"]

  windows_leave_script = "\nStop-Named 'site-agent'\n"
  windows_traces = {
    services  = ["site-agent"]
    tasks     = ["site-flow"]
    rules     = ["site-agent", "site-shared"]
    alone     = ["C:\\site", "C:\\etc\\site"]
    folders   = ["C:\\ProgramData\\site", "C:\\var\\log\\site"]
    files     = ["C:\\var\\log\\site.log"]
    parents   = ["C:\\etc", "C:\\var\\log", "C:\\var"]
    elements  = ["C:\\site", "C:\\tools"]
    variables = ["SITE_NAME", "SITE_ZONE"]
    networks  = ["site.4096"]
    unscanned = { processes = ["C:\\site\\agent.exe"], folders = ["C:\\ProgramData\\site"] }
  }
}

stage "cleanup" {}
stage "validate" { after = ["cleanup"] }
stage "nodes" { after = ["validate"] }
stage "cluster" { after = ["nodes"] }

block "site" {
  stage = "cluster"
  host  = "w1"

  task "win_feature" "containers" {
    names = ["Containers"]
  }

  task "win_reboot" "containers" {
    required = task.win_feature.containers.reboot_required
    within   = "2m"
  }

  task "win_file" "folder" {
    for_each   = toset(["C:/site/bin", "C:/etc/site", "C:/ProgramData/site/pods", "C:/var/log/site"])
    path       = each.key
    depends_on = [task.win_reboot.containers]
  }

  task "win_powershell" "agent" {
    script     = <<-SCRIPT
      [IO.File]::WriteAllText('C:/site/run.exe', "kinit-winsim program kube-log-runner v1`n")
      [IO.File]::WriteAllText('C:/site/long.exe', "kinit-winsim program containerd v1`n")
      [IO.File]::Copy('C:/Windows/System32/svchost.exe', 'C:/site/agent.exe')
    SCRIPT
    creates    = "C:/site/agent.exe"
    depends_on = [task.win_file.folder]
  }

  task "win_copy" "file" {
    for_each   = toset(["C:/etc/site/key", "C:/ProgramData/site/pods/one", "C:/ProgramData/site/two", "C:/var/log/site/log", "C:/var/log/site.log"])
    dest       = each.key
    content    = "of the cluster"
    depends_on = [task.win_file.folder]
  }

  task "win_env" "path" {
    name     = "Path"
    elements = ["C:\\site", "C:\\tools"]
  }

  task "win_env" "name" {
    for_each = { SITE_NAME = "w1", SITE_ZONE = "b" }
    name     = each.key
    value    = each.value
  }

  task "win_firewall" "rule" {
    for_each    = toset(["site-agent", "site-shared"])
    name        = each.key
    protocol    = "tcp"
    local_ports = ["10250"]
    depends_on  = [task.win_reboot.containers]
  }

  task "win_defender_exclusion" "site" {
    processes  = ["C:/site/agent.exe"]
    paths      = ["C:/ProgramData/site"]
    depends_on = [task.win_reboot.containers]
  }

  task "win_service" "agent" {
    name       = "site-agent"
    path       = "C:/site/agent.exe"
    start      = "auto"
    state      = "started"
    depends_on = [task.win_powershell.agent]
  }

  task "win_scheduled_task" "flow" {
    name       = "kinit/site-flow"
    program    = "C:/site/run.exe"
    arguments  = ["--log-file=C:/var/log/site/flow", "C:/site/long.exe"]
    startup    = true
    depends_on = [task.win_powershell.agent]
  }

  # It runs on, with its program's file open.
  task "win_powershell" "flow" {
    script     = "Start-ScheduledTask -TaskPath '\\kinit\\' -TaskName 'site-flow'"
    unless     = "if ((Get-ScheduledTask -TaskPath '\\kinit\\' -TaskName 'site-flow').State.ToString() -ne 'Running') { exit 1 }"
    depends_on = [task.win_scheduled_task.flow]
  }

  task "win_hns_network" "site" {
    name       = "site.4096"
    type       = "overlay"
    subnet     = "10.244.1.0/24"
    vni        = 4096
    depends_on = [task.win_service.agent, task.win_scheduled_task.flow, task.win_copy.file, task.win_defender_exclusion.site, task.win_firewall.rule]
  }
}

output "leftovers" {
  value = try(tonumber(trimspace(task.win_powershell.leftovers["w1"].stdout)), 0)
}
