// Package moduletest is the suite that every module passes, and the two hosts
// on which tests run it.
//
// FakeHost is a machine made of scripted commands and files in memory; a command that is
// not scripted fails the test. LocalHost is the machine the test runs on, with a folder of
// its own. Both keep an owner's marks in memory. Run checks that a module does what
// engine/module requires.
package moduletest
