package setup

// schema lists the settings that are known, by pass and component, as paths of elements
// without others in them (Unattended Windows Setup Reference of Microsoft). What is
// known is checked or done; a setting that is neither belongs not here.
func schema() map[string][]string {
	locales := []string{"InputLocale", "SystemLocale", "UILanguage", "UserLocale"}
	const disk, image = "DiskConfiguration/Disk/", "ImageInstall/OSImage/"
	return map[string][]string{
		"windowsPE/Microsoft-Windows-International-Core-WinPE":              append(locales, "SetupUILanguage/UILanguage"),
		"windowsPE/Microsoft-Windows-PnpCustomizationsWinPE":                {"DriverPaths/PathAndCredentials/Path"},
		"offlineServicing/Microsoft-Windows-LUA-Settings":                   {"EnableLUA"},
		"generalize/Microsoft-Windows-Security-SPP":                         {"SkipRearm"},
		"generalize/Microsoft-Windows-PnpSysprep":                           {"PersistAllDeviceInstalls"},
		"specialize/Microsoft-Windows-Security-SPP-UX":                      {"SkipAutoActivation"},
		"specialize/Microsoft-Windows-ServerManager-SvrMgrNc":               {"DoNotOpenServerManagerAtLogon"},
		"specialize/Microsoft-Windows-TerminalServices-LocalSessionManager": {"fDenyTSConnections"},
		"specialize/Networking-MPSSVC-Svc":                                  {"FirewallGroups/FirewallGroup/Active", "FirewallGroups/FirewallGroup/Group", "FirewallGroups/FirewallGroup/Profile"},
		"specialize/Microsoft-Windows-Shell-Setup":                          {"ComputerName", "TimeZone"},
		"specialize/Microsoft-Windows-International-Core":                   locales,
		"oobeSystem/Microsoft-Windows-International-Core":                   locales,
		"specialize/Microsoft-Windows-Deployment": {
			"RunSynchronous/RunSynchronousCommand/Order", "RunSynchronous/RunSynchronousCommand/Path",
			"RunSynchronous/RunSynchronousCommand/WillReboot", "RunSynchronous/RunSynchronousCommand/Description",
		},
		"windowsPE/Microsoft-Windows-Setup": {
			disk + "CreatePartitions/CreatePartition/Extend", disk + "CreatePartitions/CreatePartition/Order",
			disk + "CreatePartitions/CreatePartition/Size", disk + "CreatePartitions/CreatePartition/Type", disk + "DiskID", disk + "WillWipeDisk",
			disk + "ModifyPartitions/ModifyPartition/Active", disk + "ModifyPartitions/ModifyPartition/Format",
			disk + "ModifyPartitions/ModifyPartition/Label", disk + "ModifyPartitions/ModifyPartition/Letter",
			disk + "ModifyPartitions/ModifyPartition/Order", disk + "ModifyPartitions/ModifyPartition/PartitionID",
			"DiskConfiguration/WillShowUI", "DynamicUpdate/Enable",
			image + "InstallFrom/MetaData/Key", image + "InstallFrom/MetaData/Value", image + "InstallTo/DiskID", image + "InstallTo/PartitionID", image + "WillShowUI",
			"RunSynchronous/RunSynchronousCommand/Order", "RunSynchronous/RunSynchronousCommand/Path", "RunSynchronous/RunSynchronousCommand/Description",
			"UserData/AcceptEula", "UserData/ProductKey/Key", "UserData/ProductKey/WillShowUI",
		},
		"oobeSystem/Microsoft-Windows-Shell-Setup": {
			"AutoLogon/Enabled", "AutoLogon/LogonCount", "AutoLogon/Username", "AutoLogon/Password/PlainText", "AutoLogon/Password/Value",
			"FirstLogonCommands/SynchronousCommand/CommandLine", "FirstLogonCommands/SynchronousCommand/Description", "FirstLogonCommands/SynchronousCommand/Order",
			"OOBE/HideEULAPage", "OOBE/HideLocalAccountScreen", "OOBE/HideOEMRegistrationScreen", "OOBE/HideOnlineAccountScreens",
			"OOBE/HideWirelessSetupInOOBE", "OOBE/ProtectYourPC", "TimeZone",
			"UserAccounts/AdministratorPassword/PlainText", "UserAccounts/AdministratorPassword/Value",
		},
	}
}
