package local

import "context"

// EndServer ends the SFTP server of a Conn that works as another user.
func EndServer(c *Conn) {
	client, _ := c.as.files.Get(context.Background(), nil)
	_ = client.Close()
}
