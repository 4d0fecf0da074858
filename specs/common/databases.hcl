# databases: OVN's databases are on three hypervisors where a cluster has so many, so that no single one
# matters: a cluster of servers (RAFT) that goes on while more than half of them answer. Where a cluster has fewer
# hypervisors, they are on the first one alone, unless they were on several before.

variable "ovn_databases" {
  type    = number
  default = null
  description = fold(<<-EOT
    How many hypervisors have OVN's databases: 1, 3 or 5. Without it 3 where there are so many hypervisors, and 1
    otherwise. Databases that several hypervisors have stay on several.
    EOT
  )

  validation {
    condition = var.ovn_databases == null || contains([1, 3, 5], coalesce(var.ovn_databases, 1))
    error_message = fold(<<-EOT
      OVN's databases are on 1, 3 or 5 hypervisors: of an even number, no more can fail than of one less.
      EOT
    )
  }
}

locals {
  # How many are asked for, and who can have them.
  database_count = coalesce(var.ovn_databases, length(local.hypervisors) >= 3 ? 3 : 1)
  database_hosts = slice(
    local.overlay_hypervisors,
    0,
    min(length(local.overlay_hypervisors), max(3, local.database_count)),
  )
  central_hosts = (
    local.database_count > 1
    ? local.database_hosts
    : slice(local.overlay_hypervisors, 0, min(length(local.overlay_hypervisors), 1))
  )

  # What hosts have of them: the id of the server in each file of a member.
  member_files = {
    for h in local.database_hosts :
    h => try(jsondecode(task.command.databases[h].stdout), { northbound = "", southbound = "", led = false })
  }
  clustered = (
    local.overlay && local.database_count > 1 ||
    anytrue([for h in local.database_hosts : local.member_files[h].northbound != ""])
  )

  # The member by which others are taken out and join; none if the databases are not clustered
  # yet, or if no majority answers. And which member creates the cluster of each database, if it does not exist.
  keeper = try([for h in local.database_hosts : h if local.member_files[h].led][0], "")
  founder = {
    for word in ["northbound", "southbound"] :
    word => coalesce(
      local.keeper,
      try([for h in local.database_hosts : h if local.member_files[h][word] != ""][0], local.first_hypervisor),
    )
  }

  # Members that are there, and where all of them are reached.
  members = try(task.ovn_leave.databases[local.keeper], null)
  database_addresses = sort(distinct(concat(try(local.members.northbound.addresses, []), [
    for h in local.database_hosts :
    task.facts.underlay[h].route_address
  ])))
  southbound_remote = (
    local.clustered
    ? join(",", [for address in local.database_addresses : "ssl:${address}:6642"])
    : "ssl:${task.facts.underlay[local.first_hypervisor].route_address}:6642"
  )

  database_ports = { northbound = 6643, southbound = 6644 }
}

task "assert" "databases" {
  stage = "validate"
  when  = local.build && local.overlay
  early = true

  condition {
    holds = local.database_count <= max(1, length(local.hypervisors))
    message = fold(<<-EOT
      OVN's databases are to be on ${local.database_count} hypervisors, and the cluster has
      ${length(local.hypervisors)}. Use more hypervisors, or set ovn_databases to 1.
      EOT
    )
  }
}

task "command" "databases" {
  stage      = "prepare"
  when       = local.build
  hosts      = local.database_hosts
  argv       = ["sh", "-c", file("files/ovn-databases.sh"), "ovn-databases"]
  read_only  = true
  depends_on = [task.package.central]
}

# The members have an authority of their own. A chassis, which the overlay's authority has signed, can
# reach its own rows in the southbound database and nothing else.
task "x509_ca" "databases" {
  stage      = "network"
  when       = local.clustered
  host       = local.first_hypervisor
  key        = "${local.overlay_pki}/databases-ca.key"
  cert       = "${local.overlay_pki}/databases-ca.crt"
  cn         = "kinit databases of the overlay"
  depends_on = [task.directory.overlay]
}

block "members" {
  stage = "network"
  when  = local.clustered
  hosts = local.database_hosts

  task "copy" "databases_ca" {
    when       = host.name != local.first_hypervisor
    dest       = "${local.overlay_pki}/databases-ca.crt"
    content    = task.x509_ca.databases.cert_pem
    mode       = "0644"
    depends_on = [task.directory.overlay]
  }

  task "x509_certificate" "databases" {
    key          = "${local.overlay_pki}/databases.key"
    cert         = "${local.overlay_pki}/databases.crt"
    ca_cert_pem  = task.x509_ca.databases.cert_pem
    ca_key_pem   = task.x509_ca.databases.key_pem
    cn           = host.name
    dns_names    = [host.name]
    ip_addresses = [task.facts.underlay[host.name].route_address]
    usages       = ["server", "client"]
    owner        = local.host_system.ovn_user
    depends_on   = [task.directory.overlay, task.copy.databases_ca]
  }

  # Members ask each other, and northd asks all of them; each asks for the other's certificate.
  task "firewall" "members" {
    protocol  = "tcp"
    ports     = ["6641", "6643", "6644", "6652"]
    interface = task.facts.underlay[host.name].route_interface
  }

  # Those that the cluster had and has no more are taken out, and those whose files are lost.
  task "ovn_leave" "databases" {
    when = host.name == local.keeper
    northbound = {
      for h in local.database_hosts :
      task.facts.underlay[h].route_address => local.member_files[h].northbound
    }
    southbound = {
      for h in local.database_hosts :
      task.facts.underlay[h].route_address => local.member_files[h].southbound
    }
  }

  # The units of the system's packages serve standalone databases.
  task "service" "no_central" {
    name       = local.host_system.services.central
    enabled    = false
    state      = "stopped"
    depends_on = [task.x509_certificate.databases, task.firewall.members, task.ovn_leave.databases]
  }
}

locals {
  # What is asked of each member: the address at which others reach it, and who it joins.
  wanted_members = { for word, port in local.database_ports : word => { for h in local.database_hosts : h => {
    address = "ssl:${task.facts.underlay[h].route_address}:${port}"
    join = h == local.founder[word] ? [] : distinct([
      for address in [task.facts.underlay[local.founder[word]].route_address] :
      "ssl:${address}:${port}"
    ])
  } } }

  # What the units of a member are written with.
  member_unit = {
    address = task.facts.underlay[host.name].route_address
    pki     = local.overlay_pki
    user    = local.host_system.ovn_user
  }
}

block "servers" {
  stage      = "network"
  when       = local.clustered
  hosts      = local.database_hosts
  depends_on = [task.service.no_central]

  # The first member keeps what its databases have, so that a cluster grows onto more hypervisors.
  task "ovn_member" "northbound" {
    database = "northbound"
    address  = local.wanted_members.northbound[host.name].address
    join     = local.wanted_members.northbound[host.name].join
    cluster  = try(local.members.northbound.id, "")
    servers  = try(local.members.northbound.servers, [])
    unit     = "kinit-shared-ovn-nb.service"
  }

  task "ovn_member" "southbound" {
    database = "southbound"
    address  = local.wanted_members.southbound[host.name].address
    join     = local.wanted_members.southbound[host.name].join
    cluster  = try(local.members.southbound.id, "")
    servers  = try(local.members.southbound.servers, [])
    unit     = "kinit-shared-ovn-sb.service"
  }

  task "systemd_unit" "ovn_northbound" {
    name       = "kinit-shared-ovn-nb.service"
    enabled    = true
    state      = "started"
    content    = templatefile("files/ovn-nb.service", local.member_unit)
    depends_on = [task.ovn_member.northbound]
  }

  task "systemd_unit" "ovn_southbound" {
    name       = "kinit-shared-ovn-sb.service"
    enabled    = true
    state      = "started"
    content    = templatefile("files/ovn-sb.service", local.member_unit)
    depends_on = [task.ovn_member.southbound]
  }

  task "wait" "members" {
    for_each = toset(["nb OVN_Northbound", "sb OVN_Southbound"])
    argv     = concat(["sh", "-c", file("files/ovn-led.sh"), "ovn-led"], split(" ", each.key))
    within   = "3m"
    evidence = [[
      "journalctl", "--no-pager", "--lines", "20", "--unit", "kinit-shared-ovn-${split(" ", each.key)[0]}.service",
    ]]
    depends_on = [task.systemd_unit.ovn_northbound, task.systemd_unit.ovn_southbound]
  }

  task "systemd_unit" "ovn_relay" {
    name       = "kinit-shared-ovn-relay.service"
    enabled    = true
    state      = "started"
    content    = file("files/ovn-relay.service")
    depends_on = [task.wait.members]
  }

  # One of them is active, which has the lock in the southbound database.
  task "systemd_unit" "ovn_northd" {
    name    = "kinit-shared-ovn-northd.service"
    enabled = true
    state   = "started"
    content = templatefile("files/ovn-northd.service", {
      pki       = local.overlay_pki
      addresses = local.database_addresses
    })
    depends_on = [task.wait.members]
  }
}

# The first member that leads records the members. If there was no leader when the run began, that is now.
block "noted" {
  stage      = "network"
  when       = local.clustered && local.keeper == ""
  depends_on = [task.wait.members]

  task "command" "noted" {
    hosts     = local.database_hosts
    argv      = ["sh", "-c", file("files/ovn-databases.sh"), "ovn-databases"]
    read_only = true
  }

  task "ovn_leave" "noted" {
    hosts = slice(local.database_hosts, 0, min(1, length(local.database_hosts)))
    northbound = {
      for h in local.database_hosts :
      task.facts.underlay[h].route_address => jsondecode(task.command.noted[h].stdout).northbound
    }
    southbound = {
      for h in local.database_hosts :
      task.facts.underlay[h].route_address => jsondecode(task.command.noted[h].stdout).southbound
    }
  }
}
