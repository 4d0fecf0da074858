# Why Windows itself asks for a restart: parts of the system that are to be replaced or
# updated, or another name. Files that are to be moved at the next start are no sign:
# programs leave such all the time.
$machine = [Microsoft.Win32.Registry]::LocalMachine
$reasons = @()
if ($machine.OpenSubKey('SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending')) {
    $reasons += 'parts of Windows were installed or removed'
}
if ($machine.OpenSubKey('SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired')) {
    $reasons += 'updates were installed'
}
$active = $machine.OpenSubKey('SYSTEM\CurrentControlSet\Control\ComputerName\ActiveComputerName').GetValue('ComputerName')
$next = $machine.OpenSubKey('SYSTEM\CurrentControlSet\Control\ComputerName\ComputerName').GetValue('ComputerName')
if ($active -ne $next) {
    $reasons += "its name is to be $next"
}
@{ reasons = $reasons }
