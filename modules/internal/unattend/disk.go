package unattend

// The partitions that Windows itself is on.
const (
	uefiSystem = 3
	biosSystem = 2
)

// The sizes of the partitions that firmware starts from, in MB of 2^20 bytes.
const (
	efiSize      = 100 // what Microsoft's own layout has
	reservedSize = 16  // likewise, for what manages partitions
	startSize    = 500
)

// diskConfiguration wipes and partitions the first disk.
type diskConfiguration struct {
	Disk       disk
	WillShowUI string
}

type disk struct {
	Action           string `xml:"wcm:action,attr"`
	CreatePartitions struct{ CreatePartition []createPartition }
	DiskID           int
	ModifyPartitions struct{ ModifyPartition []modifyPartition }
	WillWipeDisk     bool
}

type createPartition struct {
	Action string `xml:"wcm:action,attr"`
	Extend bool   `xml:",omitempty"` // takes what is left
	Order  int
	Size   int `xml:",omitempty"`
	Type   string
}

type modifyPartition struct {
	Action      string `xml:"wcm:action,attr"`
	Active      bool   `xml:",omitempty"`
	Format      string `xml:",omitempty"`
	Label       string `xml:",omitempty"`
	Letter      string `xml:",omitempty"`
	Order       int
	PartitionID int
}

// uefiDisk is a GPT disk: what the firmware reads, a reserved partition, Windows.
func uefiDisk() diskConfiguration {
	return partitioned(
		[]createPartition{{Type: "EFI", Size: efiSize}, {Type: "MSR", Size: reservedSize}, {Type: "Primary", Extend: true}},
		[]modifyPartition{{Format: "FAT32", Label: "EFI"}, {}, {Format: "NTFS", Label: "Windows", Letter: "C"}},
	)
}

// biosDisk is an MBR disk: an active partition that starts Windows, and Windows.
func biosDisk() diskConfiguration {
	return partitioned(
		[]createPartition{{Type: "Primary", Size: startSize}, {Type: "Primary", Extend: true}},
		[]modifyPartition{{Format: "NTFS", Label: "System", Active: true}, {Format: "NTFS", Label: "Windows", Letter: "C"}},
	)
}

// partitioned numbers both lists from 1.
func partitioned(create []createPartition, modify []modifyPartition) diskConfiguration {
	for i := range create {
		create[i].Action, create[i].Order = add, i+1
		modify[i].Action, modify[i].Order, modify[i].PartitionID = add, i+1, i+1
	}
	d := disk{Action: add, WillWipeDisk: true}
	d.CreatePartitions.CreatePartition, d.ModifyPartitions.ModifyPartition = create, modify
	return diskConfiguration{Disk: d, WillShowUI: onError}
}
