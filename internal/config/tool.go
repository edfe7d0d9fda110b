package config

// Tool has the settings of the operator's commands: a database, or the folder of the embedded one, whose URL is empty.
type Tool struct {
	Embedded  Embedded
	Database  database
	Migration migration
	Log       Log
}

// LoadTool reads the settings of the operator's commands. The error lists every setting that is wrong.
func LoadTool() (Tool, error) {
	var c Tool
	err := load(&c, &c.Embedded, embeddable{database: &c.Database}, &c.Migration, &c.Log)
	return c, err
}
