package lexicon

// Words has the phrases and single words of the lexicon, by the file or the section that has them. It must not be
// changed after Load: then it may be used by many goroutines.
type Words struct {
	Titles, Company, Mail, Form, People, Name, Source, Stages, Status, Documents, Summary, Files *Phrases

	// Concepts are the concepts that a text can mention, in many languages.
	Concepts *Phrases

	// The words of these sets are folded. Given and Surnames are names of people; Places are names of cities and
	// countries. Ordinary words begin sentences but no names; the words of Tail end no name. Common are the words of
	// Places and of nearly all phrases.
	Given, Surnames, Places, Ordinary, Tail, Common map[string]bool
}

// Load parses the files of the lexicon, anew at each call.
func Load() *Words {
	w := &Words{
		Titles:    LoadPhrases("titles.txt"),
		Company:   LoadPhrases("company_words.txt"),
		Mail:      LoadPhrases("mail.txt"),
		Form:      LoadPhrases("form.txt"),
		People:    LoadPhrases("people.txt"),
		Name:      LoadPhrases("around_company_names.txt"),
		Source:    LoadPhrases("source.txt"),
		Stages:    LoadPhrases("stage_names.txt"),
		Status:    LoadPhrases("stage_phrases.txt"),
		Documents: LoadPhrases("documents.txt"),
		Summary:   LoadPhrases("summary.txt"),
		Files:     LoadPhrases("file_names.txt"),
		Concepts:  loadConcepts(),
		Given:     loadWords("given_names.txt"),
		Surnames:  loadWords("surnames.txt"),
		Places:    loadWords("places.txt"),
		Ordinary:  wordsOf(loadSection("ordinary.txt", "word")),
		Tail:      wordsOf(loadSection("ordinary.txt", "tail")),
		Common:    loadWords("places.txt"),
	}
	for _, x := range []*Phrases{
		w.Status, w.Stages, w.Name, w.People, w.Mail, w.Form, w.Summary, w.Documents, w.Titles, w.Source,
	} {
		x.words(w.Common)
	}
	return w
}

// File returns an embedded file of the lexicon, such as "weights.bin". The error is that of embed.FS.ReadFile.
func File(name string) ([]byte, error) { return files.ReadFile(name) }
