// Package sequences runs random sequences of kinit's commands on small clusters and checks, after
// each command, that nothing was harmed.
//
// The hosts are real SSH servers, each in a root of its own (see [Rack]). The commands are those of
// the program, in the process of the test, but for those that are killed. The model knows which nodes
// exist, what their users have put into them, and what the command line named. It checks that
//   - no foreign object has changed: its content, its inode, its attributes;
//   - no node has disappeared, and nothing in it, unless the command named it;
//   - the cluster can still reach its declared state;
//   - the advice of a refusal works as it is written.
//
// A sequence follows from its seed alone. One that fails is made smaller until nothing can be left
// out, and printed as a test case.
package sequences
