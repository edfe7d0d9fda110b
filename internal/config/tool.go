package config

// Tool has the settings of the operator's commands. If the URL of Database is empty, they use the embedded database in
// the folder of Embedded.
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
