package wsman

// Codes of faults that tests plan and look for, as wsmerror.h and winerror.h have
// them. Others can be planned too; they look like an internal error.
const (
	CodeAccessDenied      = 5          // the shell is another user's
	CodeInvalidParameter  = 87         // ERROR_INVALID_PARAMETER
	CodeAborted           = 995        // ERROR_OPERATION_ABORTED: the command was terminated meanwhile
	CodeFileNotFound      = 2147942402 // 0x80070002
	CodeOutOfMemory       = 2147942414 // 0x8007000E, as when MaxMemoryPerShellMB is exceeded
	CodeNotReady          = 2147942421 // 0x80070015, as in the middle of Setup's OOBE
	CodeLineTooLong       = 2147942606 // 0x800700CE, a line of more than 32 K
	CodePipeCloses        = 2147942632 // 0x800700E8, input for a process that has ended
	CodeProfileUnloads    = 2147943418 // 0x800703FA, while a profile is being unloaded
	CodeTooManyProcesses  = 2147944216 // 0x80070718, MaxProcessesPerShell
	CodeUnknownResource   = 2150858752 // 0x80338000
	CodeInvalidHeader     = 2150858767 // 0x8033800F, such as a bad OperationTimeout
	CodeUnknownAction     = 2150858771 // 0x80338013
	CodeTimedOut          = 2150858793 // 0x80338029, ask again
	CodeBusy              = 2150858802 // 0x80338032, a second Receive
	CodeEncodingLimit     = 2150858805 // 0x80338035
	CodeSchema            = 2150858817 // 0x80338041
	CodeUnknownSelectors  = 2150858843 // 0x8033805B, no such shell or command
	CodeTooManyShells     = 2150859173 // 0x803381A5, MaxShellsPerUser
	CodeTooManyOperations = 2150859174 // 0x803381A6, MaxConcurrentOperationsPerUser
	CodeTooManyUsers      = 2150859179 // 0x803381AB, MaxConcurrentUsers
)
