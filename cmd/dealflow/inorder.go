package main

// inOrder does something to every item, side by side, and uses the results in the order of the items. At most ahead
// items are begun before the result of the first of them is used, so that what is done early does not pile up behind
// what takes long. It ends with the first error of use; what was begun by then ends by itself.
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
