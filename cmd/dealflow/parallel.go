package main

// inOrder calls do for every item, several at the same time, and calls use with the results in the order of the items.
// So that early results do not pile up behind a slow one, at most ahead calls of do have begun whose results were not
// used yet. inOrder returns the first error of use, and then does not wait for calls of do that have begun.
func inOrder[T, R any](items []T, ahead int, do func(T) R, use func(R) error) error {
	begun := make(chan chan R, max(ahead-1, 0))
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		defer close(begun)
		for _, item := range items {
			result := make(chan R, 1)
			select {
			case begun <- result:
				go func() { result <- do(item) }()
			case <-stop:
				return
			}
		}
	}()
	for result := range begun {
		if err := use(<-result); err != nil {
			return err
		}
	}
	return nil
}
