package account_test

import (
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/store"
)

func book(t *testing.T, folder, language string) *account.Book {
	t.Helper()
	b, err := account.Open(store.In(folder, "accounts"), language, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPasswordsMustBeComplexAndAreKeptAsNTLMNeedsThem(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	b := book(t, folder, "en-US")
	for password, want := range map[string]error{
		"short": account.ErrPassword, "alllowercase": account.ErrPassword, "Administrator1": account.ErrPassword,
		"Passw0rd": nil, "pass-w0rd": nil, "Password": account.ErrPassword,
	} {
		if err := b.SetPassword("administrator", password); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", password, err, want)
		}
	}
	if err := b.SetPassword("Administrator", "Passw0rd!"); err != nil {
		t.Fatal(err)
	}
	b = book(t, folder, "en-US")
	if !b.Check(`.\ADMINISTRATOR`, "Passw0rd!") || b.Check("Administrator", "passw0rd!") {
		t.Error("the password is not the one that was set")
	}
	// NTOWFv1 of this password, as published in many test vectors of NTLM.
	hash, ok := b.NTHash("Administrator")
	if got := hex.EncodeToString(hash); !ok || got != "fc525c9683e8fe067095ba2ddc971889" {
		t.Errorf("hash %s", got)
	}
	if b.Check("Guest", "") {
		t.Error("a user without a password may log on")
	}
}

func TestMembersAreKnownByTheirSIDs(t *testing.T) {
	t.Parallel()
	b := book(t, t.TempDir(), "de-DE")
	u, err := b.AddUser(account.User{Name: "kinit", PasswordNeverExpires: true}, "Geheim-12")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.AddMember("Administratoren", "kinit"); err != nil {
		t.Fatal(err)
	}
	if err := b.AddMember(account.AdministratorsSID, u.SID); !errors.Is(err, account.ErrMemberExists) {
		t.Errorf("added twice: %v", err)
	}
	if err := b.AddMember("Administrators", "kinit"); !errors.Is(err, account.ErrGroupNotFound) {
		t.Errorf("the English name on a German machine: %v", err)
	}
	if err := b.RenameUser("kinit", "node"); err != nil {
		t.Fatal(err)
	}
	if !b.IsMember("Administratoren", "node") {
		t.Error("a renamed user left the group")
	}
	for sid, want := range map[string]string{
		account.AdministratorsSID: `VORDEFINIERT\Administratoren`, account.SystemSID: `NT-AUTORITÄT\SYSTEM`,
		u.SID: `NODE-1\node`, "S-1-5-21-1-2-3-4": "S-1-5-21-1-2-3-4",
	} {
		if got := b.Name(sid, "node-1"); got != want {
			t.Errorf("%s: %s, want %s", sid, got, want)
		}
	}
	if err := b.RemoveUser("Administrator"); !errors.Is(err, account.ErrBuiltIn) {
		t.Errorf("remove the built-in one: %v", err)
	}
	if err := b.RemoveUser("node"); err != nil {
		t.Fatal(err)
	}
	if g, _ := b.Group("Administratoren"); len(g.Members) != 1 {
		t.Errorf("members %q, want the built-in one", g.Members)
	}
	if _, err := b.AddUser(account.User{Name: "a/b"}, "Geheim-12"); !errors.Is(err, account.ErrName) {
		t.Errorf("a name with a slash: %v", err)
	}
}
