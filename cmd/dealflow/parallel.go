package main

// inOrder calls do for each item, up to ahead calls at the same time, and calls use with the results in the order of
// the items. At most ahead results are computed or wait for use, so that results do not accumulate behind a slow call.
// It returns the first error of use: then it starts no more calls of do, and does not wait for those that run.
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
