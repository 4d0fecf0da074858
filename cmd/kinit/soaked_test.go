package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"kinit/cmd/kinit/app"
)

// soakProgram is the name by which the soak test starts this file's program.
const soakProgram = "kinit-soaked"

// soakJobs is the variable of the environment with the number of jobs that have a schedule,
// soakStacks that with the file for the goroutines that there are at the end.
const (
	soakJobs   = "KINIT_SOAK_JOBS"
	soakStacks = "KINIT_SOAK_STACKS"
)

// usage is what a program uses while none of its jobs is at work.
type usage struct {
	Heap        int64 // bytes, after a collection
	Resident    int64 // bytes
	Peak        int64 // bytes, the most that was resident
	Goroutines  int64
	Descriptors int64
	Children    int64 // processes
}

// soaked is kinit with a clock that does not wait: when all jobs sleep, it says on the file
// 3 what it uses, waits for a line of the file 4, and it is the time for which they wait.
func soaked() {
	a := app.New(programVersion())
	jobs, err := strconv.Atoi(os.Getenv(soakJobs))
	if err != nil {
		panic(err)
	}
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	c := &jumpingClock{jobs: jobs, out: json.NewEncoder(os.NewFile(3, "out")), in: bufio.NewReader(os.NewFile(4, "in"))}
	a.Now, a.Sleep = c.now, c.sleep
	code := run(a)
	if stacks, err := os.Create(os.Getenv(soakStacks)); err == nil {
		_ = pprof.Lookup("goroutine").WriteTo(stacks, 1)
		_ = stacks.Close()
	}
	os.Exit(code)
}

// jumpingClock is a clock that jumps to the time for which all jobs wait.
type jumpingClock struct {
	jobs int
	out  *json.Encoder
	in   *bufio.Reader

	mu       sync.Mutex
	ahead    time.Duration
	sleepers []sleeper
}

type sleeper struct {
	until time.Time
	woken chan struct{}
}

func (c *jumpingClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *jumpingClock) sleep(ctx context.Context, until time.Time) error {
	me := sleeper{until, make(chan struct{})}
	c.mu.Lock()
	c.sleepers = append(c.sleepers, me)
	if len(c.sleepers) == c.jobs {
		c.jump()
	}
	c.mu.Unlock()
	select {
	case <-me.woken:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// jump tells what the program uses and wakes all, if it may go on. The caller holds the
// mutex.
func (c *jumpingClock) jump() {
	if err := c.out.Encode(measured()); err != nil {
		return
	}
	if _, err := c.in.ReadString('\n'); err != nil {
		return
	}
	for _, s := range c.sleepers {
		c.ahead = max(c.ahead, time.Until(s.until))
		close(s.woken)
	}
	c.sleepers = nil
}

// measured is what this process uses. What is about to end is given a moment.
func measured() usage {
	for fewer := 0; fewer < 20; fewer++ {
		before := runtime.NumGoroutine()
		runtime.GC()
		if runtime.NumGoroutine() < before {
			fewer = 0
		}
	}
	debug.FreeOSMemory()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	u := usage{Heap: int64(memory.HeapAlloc), Goroutines: int64(runtime.NumGoroutine())}
	u.Resident, u.Peak = processMemory(os.Getpid())
	files, _ := os.ReadDir("/proc/self/fd")
	u.Descriptors = int64(len(files))
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		u.Children += int64(len(strings.Fields(string(text))))
	}
	return u
}

// processMemory is how much of a process's memory is resident, and was at most, in bytes.
func processMemory(pid int) (now, peak int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			now = kilobytes << 10
		case "VmHWM":
			peak = kilobytes << 10
		}
	}
	return now, peak
}
