package rules_test

import (
	"slices"
	"testing"
)

// Nobody is listed twice, however a text calls them, and an address is one founder's.
func TestFoundersAreListedOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string // name and address
	}{
		{
			"From: Veronika Moser <vero@zirbelaudio.com>\nTo: Klaus Ebner\nSubject: Re: passports\nDate: 19 Nov 2026\n\n" +
				"Hi Klaus,\nwe will bring the papers on Thursday.\n\nVero (CEO, Zirbel Audio)",
			[]string{"Veronika Moser vero@zirbelaudio.com"},
		},
		{
			"Hi Khun Somchai,\n\nDiscussed internally. Lotus Ledger is doing well but we have to drop from here.\n\n" +
				"Rgds\nJolene Teo\n\nFrom: Somchai P. <somchai@lotusledger.co.th>\nSent: Thursday, 12 February 2026 2:08 PM\n" +
				"Subject: RE: Deep DD list\nAll items uploaded. Shall we schedule the approval meeting?",
			[]string{"Somchai P. somchai@lotusledger.co.th"},
		},
		{
			"4. Dune's principals, Mr. Hashim Al Suwaidi and Chef Lourdes Padilla, may be told that the file of " +
				"Dune Kitchens is in process.",
			[]string{"Hashim Al Suwaidi ", "Lourdes Padilla "},
		},
		{ // a form has one address, that of the founder who fills it in
			"Form: Apply for funding\n\nstartup-name: Loomi Baby\nfirst-last: Tamsin O'Rourke\nrole: CEO\n" +
				"email: tamsin@loomibaby.com\nteam: me (ex Bugaboo), Wes Nakagawa, designer and co-founder",
			[]string{"Tamsin O'Rourke tamsin@loomibaby.com", "Wes Nakagawa "},
		},
		{
			"New message via the contact form\nFrom: Loïc (Pixel Potager, loic@pixelpotager.fr)\n\n" +
				"I am the founder of Pixel Potager, we grow salads under LEDs and raise 300k.",
			[]string{"Loïc loic@pixelpotager.fr"},
		},
	} {
		var got []string
		for _, f := range readBoth(t, tt.text).Founders {
			got = append(got, f.Name+" "+f.Email)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q:\ngot  %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

// A title beside one name of a person is theirs under the other.
func TestTitlesAreFoundBesideAnyName(t *testing.T) {
	t.Parallel()
	got := readBoth(t, "From: Veronika Moser <vero@zirbelaudio.com>\nTo: Klaus Ebner\nSubject: Re: passports\n"+
		"Date: 19 Nov 2026\n\nHi Klaus,\nwe will bring the papers on Thursday.\n\nVero (CEO, Zirbel Audio)").Founders
	if len(got) != 1 || got[0].Name != "Veronika Moser" || got[0].Title != "CEO" {
		t.Errorf("the founders are %+v", got)
	}
}

// Founders who are only mentioned beside another one are found.
func TestFoundersInPassing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Hi Mara, thanks for your patience. We talked it over and Mossbridge can't reach our return target, so we are out. " +
			"Rooting for you and Lily either way. Pete": {"Mara", "Lily"},
		"Startup week, day 2. Ode Ferreira & Jules Ostrander, Kilnworks. Low-temperature cement, pilot with a city, they " +
			"want 2M. I told them to send material.": {"Ode Ferreira", "Jules Ostrander"},
	} {
		var got []string
		for _, f := range readBoth(t, text, "New", "First Meeting", "Due Diligence", "Invested", "Passed").Founders {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// The only address of a text is not a founder's if it has the name of somebody else whom the text names.
func TestAddressesOfOthersAreNoFounders(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Kelpwright, Fife. Founder: Ailsa Crombie. Hamish does the books for her: hamish@kelpwright.scot": "Ailsa Crombie ",
		"Kelpwright, Fife. Founder: Robert Crombie, sells kelp. Reach him at Bob@kelpwright.scot": "Robert Crombie " +
			"bob@kelpwright.scot",
	} {
		got := readBoth(t, text).Founders
		if len(got) == 0 || got[0].Name+" "+got[0].Email != want {
			t.Errorf("%q: got %+v, want %q", text, got, want)
		}
	}
}
