package rank_test

import (
	"bytes"
	"fmt"
	"testing"

	"dealflow/internal/analysis/rank"
)

// questions returns examples whose right candidate is the one with the feature "right", and a class that a word
// decides.
func questions() (choices, classes []rank.Example) {
	const n = 60
	for i := range n {
		e := rank.Example{Weight: 1}
		for c := range 4 {
			var v rank.Vector
			v.Add(fmt.Sprintf("noise %d", (i*7+c*3)%11), 1)
			v.Set("right", c == i%4)
			e.Vectors = append(e.Vectors, v)
			e.Right = append(e.Right, 0)
		}
		e.Right[i%4] = 1
		choices = append(choices, e)
		var v rank.Vector
		v.Add(fmt.Sprintf("word %d", i%3), 1)
		v.Add(fmt.Sprintf("noise %d", i%5), 1)
		right := make([]float64, 3)
		right[i%3] = 1
		classes = append(classes, rank.Example{Vectors: []rank.Vector{v}, Right: right, Weight: 1})
	}
	return choices, classes
}

func options(classes int) rank.Options {
	return rank.Options{Classes: classes, Rounds: 10, Rate: 0.3, Decay: 0.1, Least: 2, Most: 1000}
}

func TestTrainLearns(t *testing.T) {
	t.Parallel()
	choices, classes := questions()
	ranker, classifier := rank.Train(choices, options(1)), rank.Train(classes, options(3))
	for i, e := range choices {
		if p := ranker.Rank(e.Vectors); p[i%4] < 0.8 {
			t.Fatalf("question %d: the right candidate has %.2f of %v", i, p[i%4], p)
		}
		if p := classifier.Classify(classes[i].Vectors[0]); p[i%3] < 0.8 {
			t.Fatalf("question %d: the right class has %.2f of %v", i, p[i%3], p)
		}
	}
}

// TestTrainLearnsFromPartsOfExamples trains with options.Drop, which leaves out random features in each step, and
// checks that the model learns all the same, and the same each time.
func TestTrainLearnsFromPartsOfExamples(t *testing.T) {
	t.Parallel()
	_, classes := questions()
	o := options(3)
	o.Drop, o.Rounds = 0.5, 40
	m := rank.Train(classes, o)
	for i, e := range classes {
		if p := m.Classify(e.Vectors[0]); p[i%3] < 0.8 {
			t.Fatalf("question %d: the right class has %.2f of %v", i, p[i%3], p)
		}
	}
	again := rank.Encode(rank.Models{"m": rank.Train(classes, o)})
	if !bytes.Equal(again, rank.Encode(rank.Models{"m": m})) {
		t.Error("the same examples result in different weights")
	}
}

func TestWeightsAreKeptInSteps(t *testing.T) {
	t.Parallel()
	_, classes := questions()
	fine, coarse := options(3), options(3)
	coarse.Step = 0.1
	whole, less := rank.Train(classes, fine), rank.Train(classes, coarse)
	if a, b := len(rank.Encode(rank.Models{"m": whole})), len(rank.Encode(rank.Models{"m": less})); b >= a {
		t.Errorf("in steps the weights take %d bytes, else %d", b, a)
	}
	for i, e := range classes {
		p, q := whole.Classify(e.Vectors[0]), less.Classify(e.Vectors[0])
		for c := range p {
			if off := p[c] - q[c]; off > 0.05 || off < -0.05 {
				t.Errorf("question %d: class %d has %.3f, and %.3f in steps", i, c, p[c], q[c])
			}
		}
	}
}

func TestTrainIsDeterministicAndFilesComeBack(t *testing.T) {
	t.Parallel()
	var files [][]byte
	for range 3 {
		choices, classes := questions()
		files = append(files,
			rank.Encode(map[string]*rank.Model{
				"choice": rank.Train(choices, options(1)), "class": rank.Train(classes, options(3)),
			}))
	}
	if !bytes.Equal(files[0], files[1]) || !bytes.Equal(files[0], files[2]) {
		t.Fatal("the same examples result in different weights")
	}
	models, err := rank.Decode(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if again := rank.Encode(models); !bytes.Equal(again, files[0]) {
		t.Fatal("a file that was read is written otherwise")
	}
	for cut := range files[0] {
		if _, err := rank.Decode(files[0][:cut]); err == nil {
			t.Errorf("the first %d of %d bytes are read as a whole file", cut, len(files[0]))
		}
	}
}

func TestFewFeaturesAreKept(t *testing.T) {
	t.Parallel()
	choices, _ := questions()
	o := options(1)
	o.Most = 1
	m := rank.Train(choices, o)
	if p := m.Rank(choices[0].Vectors); p[0] <= p[1] || p[1] != p[2] {
		t.Fatalf("more than the strongest feature was kept: %v", p)
	}
}

// either returns examples whose right candidate has just one of two features: no weights of single features choose it.
func either() []rank.Example {
	var all []rank.Example
	for i := range 80 {
		e := rank.Example{Weight: 1, Right: make([]float64, 4)}
		right := i % 4
		for c := range 4 {
			var v rank.Vector
			v.Set("a", c == right && i%8 < 4 || c == (right+1)%4)
			v.Set("b", c == right && i%8 >= 4 || c == (right+1)%4)
			e.Vectors = append(e.Vectors, v)
		}
		e.Right[right] = 1
		all = append(all, e)
	}
	return all
}

func TestUnitsLearnWhatFeaturesMeanTogether(t *testing.T) {
	t.Parallel()
	o := options(1)
	o.Rounds = 60
	alone := rank.Train(either(), o)
	o.Units = rank.UnitOptions{Count: 8, Nets: 2, Least: 2}
	m := rank.Train(either(), o)
	file := rank.Encode(rank.Models{"m": m})
	if again := rank.Encode(rank.Models{"m": rank.Train(either(), o)}); !bytes.Equal(again, file) {
		t.Error("the same examples result in different weights")
	}
	models, err := rank.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if again := rank.Encode(models); !bytes.Equal(again, file) {
		t.Error("a file with units that was read is written otherwise")
	}
	for i, e := range either() {
		if p := alone.Rank(e.Vectors); p[i%4] > 0.7 {
			t.Fatalf("question %d: without units the right candidate has %.2f: this test proves nothing", i, p[i%4])
		}
		if p := models["m"].Rank(e.Vectors); p[i%4] < 0.9 {
			t.Fatalf("question %d: the right candidate has %.2f of %v", i, p[i%4], p)
		}
	}
	for cut := range file {
		if _, err := rank.Decode(file[:cut]); err == nil {
			t.Errorf("the first %d of %d bytes are read as a whole file", cut, len(file))
		}
	}
}
