package local

// EndServer ends the SFTP server of a Conn that works as another user.
func EndServer(c *Conn) { _ = c.as.helper.client.Close() }
