// Package windows implements module.Files for Windows machines, for every transport
// that can run PowerShell there, and checks paths of Windows.
//
// Windows lacks some things that module.Files has. The package replaces them for all
// transports:
//
//   - Permission bits. Stat returns 0666 for a file, 0444 for one with the attribute
//     read-only, and 0777 for folders and links, as Go's os package does. One Attr.Mode has
//     an effect: 0700 for a folder. Mkdir and SetAttr then leave access to its owner, SYSTEM
//     and the administrators alone. Any other mode, and any mode of a file, changes nothing:
//     the content of a folder inherits the folder's access.
//   - Numbers of users. Stat returns no Owner and no Group, and 0 as UID and GID. An owner
//     can be set, by icacls; a group is an error.
//   - Links to missing targets: Windows must know whether a link leads to a folder.
//
// A replaced file keeps its access control list if the transport writes by script; over
// SFTP it gets that of its folder.
package windows
