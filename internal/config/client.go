package config

// Client has the settings of the commands that talk to an API over HTTP. Values that Server lacks are in the file
// dev.env of the folder Embedded.DataDir, which LoadClient does not read.
type Client struct {
	Embedded Embedded // its folder holds dev.env, which has what Server lacks
	Server   Server
	Log      Log
}

// LoadClient reads the settings of the commands that talk to an API from the environment. The error lists every setting
// that is wrong; none has to be set.
func LoadClient() (Client, error) {
	var c Client
	err := load(&c, &c.Embedded, &c.Server, &c.Log)
	return c, err
}

// Server has the address of an API, and the credentials that commands send to it. Each field may be empty.
type Server struct {
	URL       string `env:"DEALFLOW_URL"` // with /api/v1
	AccountID string `env:"DEALFLOW_ACCOUNT_ID"`
	Key       string `env:"DEALFLOW_API_KEY"`
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (s *Server) Validate() []error {
	if s.URL == "" {
		return nil
	}
	return scheme("DEALFLOW_URL", s.URL, "http", "https")
}
