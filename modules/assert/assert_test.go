package assert_test

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/assert"
)

func TestEveryConditionThatDoesNotHoldIsTold(t *testing.T) {
	t.Parallel()
	task := moduletest.Decode(t, assert.Kind(), `
condition {
  holds   = false
  message = "too little memory on nyctea"
}
condition {
  holds   = true
  message = "no KVM"
}
condition {
  holds   = 1 > 2
  message = "too small an MTU"
}`)
	_, err := task.Plan(t.Context(), moduletest.NewFakeHost(t, ""))
	if err == nil || err.Error() != "too little memory on nyctea\ntoo small an MTU" {
		t.Errorf("got %v", err)
	}
}

func TestConditionsThatHoldPlanNothing(t *testing.T) {
	t.Parallel()
	task := moduletest.Decode(t, assert.Kind(), "condition {\n  holds = true\n  message = \"\"\n}")
	steps, err := task.Plan(t.Context(), moduletest.NewFakeHost(t, ""))
	if err != nil || len(steps) != 0 {
		t.Errorf("got %v, %v", steps, err)
	}
}

func TestEarlyConditionsAreMistakesOfThePlaybook(t *testing.T) {
	t.Parallel()
	wrong := []assert.Condition{{Holds: true, Message: "no KVM"}, {Message: "no ISO"}}
	if err := module.Check(&assert.Task{Conditions: wrong}); err != nil {
		t.Errorf("without early: %v", err)
	}
	if err := module.Check(&assert.Task{Conditions: wrong, Early: true}); err == nil || err.Error() != "no ISO" {
		t.Errorf("with early: got %v", err)
	}
	if err := module.Check(&assert.Task{Conditions: wrong[:1], Early: true}); err != nil {
		t.Errorf("with early: got %v", err)
	}
}

func TestNothingToAssertIsAMistake(t *testing.T) {
	t.Parallel()
	err := module.Check(&assert.Task{})
	if err == nil || err.Error() != "there is nothing to assert, want at least one condition block" {
		t.Errorf("got %v", err)
	}
}
