package virt

import "libvirt.org/go/libvirtxml"

// LeastWindows is the memory, in bytes, that Microsoft's requirements for Windows Server
// ask for.
const LeastWindows = 2 << 30

func (s Spec) features() *libvirtxml.DomainFeatureList {
	f := &libvirtxml.DomainFeatureList{ACPI: &libvirtxml.DomainFeature{}, APIC: &libvirtxml.DomainFeatureAPIC{}}
	if s.Windows {
		// An interface of VMware's, which a guest may take for being there.
		f.VMPort = &libvirtxml.DomainFeatureState{State: "off"}
	}
	if s.Windows && s.Type == "kvm" {
		f.HyperV = enlightenments()
	}
	return f
}

// spinlockRetries is how often a guest tries before it notifies the hypervisor, the value
// that QEMU's documentation and libvirt's users have.
const spinlockRetries = 8191

// enlightenments are the interfaces of Hyper-V that KVM has and QEMU's own emulation has
// not. They are those that QEMU's docs/system/i386/hyperv.rst advises, but for what
// depends on the processor: evmcs, avic and reenlightenment. Without the synthetic timer,
// which needs vpindex, synic and the reference clock, an idle Windows keeps the host busy.
func enlightenments() *libvirtxml.DomainFeatureHyperV {
	on := libvirtxml.DomainFeatureState{State: "on"}
	return &libvirtxml.DomainFeatureHyperV{
		Relaxed:     &on,
		VAPIC:       &on,
		Spinlocks:   &libvirtxml.DomainFeatureHyperVSpinlocks{DomainFeatureState: on, Retries: spinlockRetries},
		VPIndex:     &on,
		Runtime:     &on,
		Synic:       &on,
		STimer:      &libvirtxml.DomainFeatureHyperVSTimer{DomainFeatureState: on, Direct: &on},
		Frequencies: &on,
		TLBFlush:    &libvirtxml.DomainFeatureHyperVTLBFlush{DomainFeatureState: on},
		IPI:         &on,
	}
}

// clock keeps ticks that a busy host could not deliver, where KVM can.
func (s Spec) clock() *libvirtxml.DomainClock {
	clock := &libvirtxml.DomainClock{Offset: "utc"}
	if s.LocalTime {
		clock.Offset = "localtime"
	}
	if s.Type == "kvm" {
		clock.Timer = []libvirtxml.DomainTimer{
			{Name: "rtc", TickPolicy: "catchup"},
			{Name: "pit", TickPolicy: "delay"},
		}
	}
	if s.Type == "kvm" || s.Windows {
		clock.Timer = append(clock.Timer, libvirtxml.DomainTimer{Name: "hpet", Present: "no"})
	}
	if s.Type == "kvm" && s.Windows {
		clock.Timer = append(clock.Timer, libvirtxml.DomainTimer{Name: "hypervclock", Present: "yes"})
	}
	return clock
}
