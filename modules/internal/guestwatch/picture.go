package guestwatch

import (
	"context"
	"fmt"
	"path"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/virt"
)

// pictureTime limits the time to take and save a picture.
const pictureTime = 30 * time.Second

// evidence saves a picture of the screen and returns its path, for the end of an error.
func (g Guest) evidence(ctx context.Context, h module.Host, last Sight) string {
	if last.Off || g.Pictures == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	file, err := g.picture(ctx, h)
	if err != nil {
		return fmt.Sprintf("\n(no picture of the screen: %v)", err)
	}
	return fmt.Sprintf("\nIts screen is in %s on %s.", file, h.Name())
}

func (g Guest) picture(ctx context.Context, h module.Host) (string, error) {
	var png []byte
	err := g.Open.Do(ctx, h, func(c *virt.Conn) error {
		var err error
		png, err = c.Screenshot(ctx, g.Domain)
		return err
	})
	if err != nil {
		return "", err
	}
	file := path.Join(g.Pictures, g.Domain+"-"+time.Now().UTC().Format("20060102T150405Z")+".png")
	// A screen can contain secrets.
	return file, hostfile.Put(ctx, h, file, string(png), module.Attr{Mode: 0o600})
}
