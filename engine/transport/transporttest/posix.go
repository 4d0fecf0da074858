package transporttest

import (
	"fmt"
	"strings"

	"kinit/engine/shell"
)

// posix is the dialect of machines with /bin/sh.
func posix() dialect {
	stubborn := `trap '' TERM INT HUP; echo $$ >>%[1]s; ` +
		`sh -c 'trap "" TERM; echo $$ >>%[1]s; while :; do sleep 0.1; done' & ` +
		`while :; do sleep 0.1; done`
	return dialect{
		bulk: 8 << 20,
		exec: map[string]said{
			"success":                                  {"true", outcome{}},
			"an exit code":                             {"exit 7", outcome{code: 7}},
			"the largest exit code":                    {"exit 255", outcome{code: 255}},
			"a program that is missing":                {"exec /nonexistent/program 2>/dev/null", outcome{code: 127}},
			"ended by SIGTERM":                         {"kill -TERM $$", outcome{code: 128 + 15}},
			"ended by SIGINT":                          {"kill -INT $$", outcome{code: 128 + 2}},
			"ended by SIGQUIT":                         {"(sleep 0.1; kill -QUIT $$) & exec sleep 100", outcome{code: 128 + 3}},
			"ended by SIGKILL":                         {"kill -KILL $$", outcome{code: 128 + 9}},
			"ended by SIGPIPE":                         {"kill -PIPE $$", outcome{code: 128 + 13}},
			"a program ended by a signal says nothing": {"exec sh -c 'kill -SEGV $$'", outcome{code: 128 + 11}},
			"both streams apart":                       {"echo out; echo err >&2", outcome{0, "out\n", "err\n"}},
			"no line end is added":                     {"printf out; printf err >&2", outcome{0, "out", "err"}},
			"a zero byte":                              {`printf 'a\000b'`, outcome{0, "a\x00b", ""}},
			"no input":                                 {"cat; echo end", outcome{0, "end\n", ""}},
			"several lines":                            {"echo one\necho 'two\nthree'", outcome{0, "one\ntwo\nthree\n", ""}},
			"an empty line":                            {"", outcome{}},
			"a comment at the end":                     {"echo a # b", outcome{0, "a\n", ""}},
			"a closed output":                          {"exec >&- 2>&-; exit 4", outcome{code: 4}},
			"nothing of the command before":            {"echo $kinit", outcome{0, "\n", ""}},
			"cd does not last":                         {"cd /", outcome{}},
			"a process group of its own":               {"read -r pid name state parent group rest </proc/self/stat; [ $group = $$ ] && echo leader", outcome{0, "leader\n", ""}},
			"starts at home":                           {`[ "$(pwd -P)" = "$(cd 2>/dev/null || cd /; pwd -P)" ]`, outcome{}},
		},
		lacks: map[string]string{
			"an exit code of 32 bits":        "exit codes have 8 bits",
			"a script that throws":           "sh has no exceptions",
			"a script of any length":         "a line is one argument, of at most 128 KiB",
			"the code of a program that ran": "a line's code is that of its last command anyway",
		},
		kill: map[string]string{
			"a program":                        `echo $$ >>%[1]s; echo $$ >>%[1]s; exec sleep 1000`,
			"a grandchild":                     `echo $$ >>%[1]s; sh -c 'echo $$ >>%[1]s; sleep 1000; :'; :`,
			"a background grandchild":          `sh -c 'echo $$ >>%[1]s; sleep 1000; :' & echo $$ >>%[1]s; wait`,
			"a group that ignores SIGTERM":     stubborn,
			"a child that outlives its leader": `(trap '' TERM; exec sh -c 'echo $$ >>%[1]s; exec sleep 1000') & echo $$ >>%[1]s; exec sleep 1000`,
			"a group of its own (timeout)":     `echo $$ >>%[1]s; timeout 900 sh -c 'echo $$ >>%[1]s; exec sleep 1000'; :`,
			"a stopped process":                `echo $$ >>%[1]s; sh -c 'echo $$ >>%[1]s; kill -STOP $$'`,
			"a command that fills its pipe":    `echo $$ >>%[1]s; echo $$ >>%[1]s; yes`,
			"while it waits for input":         `echo $$ >>%[1]s; sh -c 'echo $$ >>%[1]s; exec cat'`,
			"while it does not read its input": `echo $$ >>%[1]s; sh -c 'echo $$ >>%[1]s; exec sleep 1000'`,
		},
		dirty:     "kinit=left; export kinit; umask 077; set -e; exec 5>&1",
		noCommand: "echo 'open",
		say: func(text string, code int) string {
			return fmt.Sprintf("%s; exit %d", shell.POSIX("echo", text), code)
		},
		sayBoth: func(text string, code int) string {
			return fmt.Sprintf("sleep 0.01; %s; echo error >&2; exit %d", shell.POSIX("echo", text), code)
		},
		copyInput: "cat",
		firstLine: `read -r l; echo "$l"; exit 9`,
		takeInput: "cat >/dev/null; sleep 100",
		sleep:     "sleep 1000",
		nap:       "sleep 0.005; exit 3",
		print:     func(text string) string { return shell.POSIX("printf", "%s.", text) },
		printAll:  func(texts []string) string { return shell.POSIX(append([]string{"printf", "%s.\\0"}, texts...)...) },
		nasty:     Nasty(),
		large: func(outWord, errWord string, size int) string {
			return fmt.Sprintf("yes %s | head -c %d & yes %s | head -c %d >&2; wait", outWord, size, errWord, size)
		},
		muchOutput: "seq 200000; exit 3",
		readyUntil: func(path string) string {
			return "echo ready; while ! [ -e " + shell.POSIX(path) + " ]; do sleep 0.01; done"
		},
		touch:      func(path string) string { return "touch " + shell.POSIX(path) },
		makeFence:  func(path string) string { return "ln -s / " + shell.POSIX(path) },
		makeFolder: "mktemp -d",
		names:      func(dir string) string { return "ls -A " + shell.POSIX(dir) },
		readFile:   func(path string) string { return "cat " + shell.POSIX(path) + " 2>/dev/null; :" },
		alive: func(pid string) string { // a zombie does not run
			return `read -r stat 2>/dev/null <` + shell.POSIX("/proc/"+pid+"/stat") + ` || exit 0; case "${stat##*) }" in [ZX]*) ;; *) echo alive ;; esac`
		},
		pidAndWait: func(path string) string { return "echo $$ >" + shell.POSIX(path) + "; exec sleep 1000" },
		files: fileWords{
			root: "/", relative: "etc/passwd", foreign: "C:/Windows",
			linkTo:  func(_, name string) string { return name },
			newFile: 0o644, newFolder: 0o755, owner: true,
			nasty: []string{" ", "a b", "'", `"`, "$HOME", "-rf", "*", "new\nline", "é", "\xff", strings.Repeat("x", 255)},
		},
	}
}
