package command

import (
	"testing"

	"kinit/engine/module/moduletest"
)

func TestCommandsHaveTheLocaleOfTheHost(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	h := moduletest.LocalHost(t, "")
	for _, args := range []string{"read_only = true", `creates = "/no/such/path"`, `async = "1m"`} {
		task := moduletest.Decode(t, Kind(), `argv = ["sh", "-c", "locale charmap; echo $LC_ALL"]`+"\n"+args).(*Task)
		steps, err := task.Plan(t.Context(), h)
		for _, step := range steps {
			if err == nil {
				err = step.Do(t.Context(), h)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		moduletest.Same(t, args, task.JobOutputs().Stdout, "UTF-8\nC.UTF-8\n")
	}
}
