package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// maxPasswordInput is how many bytes stdin may have if it is a password. A password must be shorter; longer input is
// probably the wrong file.
const maxPasswordInput = 4096

// readPassword reads a password. If stdin is a terminal, it asks twice and does not show what is typed. Otherwise stdin
// must be exactly one line that is not empty, of at most maxPasswordInput bytes.
func (t *tool) readPassword(ctx context.Context) (string, error) {
	if file, ok := t.in.(*os.File); ok && term.IsTerminal(descriptor(file)) {
		return t.askPassword(ctx, descriptor(file))
	}
	raw, err := io.ReadAll(io.LimitReader(t.in, maxPasswordInput+1))
	if err != nil {
		return "", fmt.Errorf("read the password from stdin: %w", err)
	}
	password := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	switch {
	case len(raw) > maxPasswordInput:
		return "", fmt.Errorf("stdin has more than %d bytes: give the password alone", maxPasswordInput)
	case strings.ContainsAny(password, "\r\n\x00"):
		return "", errors.New("stdin has more than one line: give the password alone")
	case password == "":
		return "", errors.New("stdin is empty: give the password there, or run this in a terminal")
	}
	return password, nil
}

func (t *tool) askPassword(ctx context.Context, terminal int) (string, error) {
	password, err := t.ask(ctx, terminal, "New password: ")
	if err != nil {
		return "", err
	}
	again, err := t.ask(ctx, terminal, "The same again: ")
	if err != nil {
		return "", err
	}
	if password != again {
		return "", errors.New("the two passwords differ: try again")
	}
	return password, nil
}

// ask prints a prompt and returns the line that is typed, which the terminal does not show. If ctx ends first, ask
// restores the terminal and returns an error; the goroutine that reads continues until the process ends.
func (t *tool) ask(ctx context.Context, terminal int, prompt string) (string, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return "", fmt.Errorf("read the terminal's state: %w", err)
	}
	type line struct {
		text []byte
		err  error
	}
	typed := make(chan line, 1)
	fmt.Fprint(t.errOut, prompt)
	go func() {
		text, err := term.ReadPassword(terminal)
		typed <- line{text, err}
	}()
	select {
	case got := <-typed:
		fmt.Fprintln(t.errOut)
		if got.err != nil {
			return "", fmt.Errorf("read the password: %w", got.err)
		}
		return string(got.text), nil
	case <-ctx.Done():
		fmt.Fprintln(t.errOut)
		return "", errors.Join(errors.New("interrupted: nothing was changed"), term.Restore(terminal, before))
	}
}

func descriptor(file *os.File) int { return int(file.Fd()) }
