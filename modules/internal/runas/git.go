package runas

// Git returns the command that runs git on a checkout as the user. Its hooks do not run. The user is the
// checkout's owner, or one whose files no other user can change, so git need not check the owner.
func (u User) Git(args ...string) []string {
	return u.Argv(append([]string{"git", "-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null",
		"-c", "core.fsmonitor=false", "-c", "advice.detachedHead=false"}, args...))
}
