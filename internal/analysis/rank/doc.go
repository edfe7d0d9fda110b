// Package rank has models over sparse features: small enough to be embedded, fast enough for a request, and trained in
// Go. It knows only numbers and the names of features, and depends on no text and no deal.
//
// A model has one weight for each feature and class. With several classes it classifies one vector; with one class it
// ranks several vectors, the candidates of a question. A model of one class may have hidden units, by which features
// count for more or less beside others. Training and scoring run in a fixed order, so that the same examples result in
// the same bytes.
package rank
