package feature

// Catalogue lists the features in the order in which Get-WindowsFeature shows them.
// The names are those of Windows Server 2019 to 2025.
func Catalogue() []Feature {
	return []Feature{
		{Name: "FileAndStorage-Services", Display: "File and Storage Services", German: "Datei-/Speicherdienste", Kind: "Role"},
		{Name: "Storage-Services", Display: "Storage Services", German: "Speicherdienste", Kind: "Role Service", Parent: "FileAndStorage-Services"},
		{
			Name: "Hyper-V", Optional: "Microsoft-Hyper-V", Display: "Hyper-V", German: "Hyper-V", Kind: "Role", Restart: true,
			Tools:    []string{"RSAT-Hyper-V-Tools", "Hyper-V-PowerShell"},
			Services: []Service{{"vmms", "Hyper-V Virtual Machine Management"}, {"vmcompute", "Hyper-V Host Compute Service"}},
		},
		{
			Name: "Web-Server", Optional: "IIS-WebServerRole", Display: "Web Server (IIS)", German: "Webserver (IIS)", Kind: "Role",
			Services: []Service{{"W3SVC", "World Wide Web Publishing Service"}},
		},
		{Name: "NET-Framework-Features", Display: ".NET Framework 3.5 Features", German: ".NET Framework 3.5-Funktionen", Kind: "Feature"},
		{Name: "NET-Framework-Core", Optional: "NetFx3", Display: ".NET Framework 3.5 (includes .NET 2.0 and 3.0)", German: ".NET Framework 3.5 (enthält .NET 2.0 und 3.0)", Kind: "Feature", Parent: "NET-Framework-Features"},
		{Name: "NET-Framework-45-Features", Display: ".NET Framework 4.8 Features", German: ".NET Framework 4.8-Funktionen", Kind: "Feature"},
		{
			Name: "Containers", Optional: "Containers", Display: "Containers", German: "Container", Kind: "Feature", Restart: true,
			Services: []Service{{"hns", "Host Network Service"}, {"vmcompute", "Hyper-V Host Compute Service"}, {"CExecSvc", "Container Execution Agent"}},
		},
		{Name: "Windows-Defender", Optional: "Windows-Defender", Display: "Microsoft Defender Antivirus", German: "Microsoft Defender Antivirus", Kind: "Feature", Restart: true},
		{Name: "RSAT", Display: "Remote Server Administration Tools", German: "Remoteserver-Verwaltungstools", Kind: "Feature"},
		{Name: "RSAT-Role-Tools", Display: "Role Administration Tools", German: "Rollenverwaltungstools", Kind: "Feature", Parent: "RSAT"},
		{Name: "RSAT-Hyper-V-Tools", Display: "Hyper-V Management Tools", German: "Hyper-V-Verwaltungstools", Kind: "Feature", Parent: "RSAT-Role-Tools"},
		{Name: "Hyper-V-PowerShell", Optional: "Microsoft-Hyper-V-Management-PowerShell", Display: "Hyper-V Module for Windows PowerShell", German: "Hyper-V-Modul für Windows PowerShell", Kind: "Feature", Parent: "RSAT-Hyper-V-Tools"},
		{Name: "Telnet-Client", Optional: "TelnetClient", Display: "Telnet Client", German: "Telnet-Client", Kind: "Feature"},
		{Name: "TFTP-Client", Optional: "TFTP", Display: "TFTP Client", German: "TFTP-Client", Kind: "Feature"},
		{Name: "Failover-Clustering", Optional: "FailoverCluster-FullServer", Display: "Failover Clustering", German: "Failoverclustering", Kind: "Feature", Restart: true},
		{Name: "PowerShellRoot", Display: "Windows PowerShell", German: "Windows PowerShell", Kind: "Feature"},
		{Name: "PowerShell", Display: "Windows PowerShell 5.1", German: "Windows PowerShell 5.1", Kind: "Feature", Parent: "PowerShellRoot"},
	}
}
