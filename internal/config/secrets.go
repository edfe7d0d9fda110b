package config

import "fmt"

// secrets has the keys that sign URLs and encrypt stored secrets. The first key signs and encrypts; all verify and
// decrypt.
type secrets struct {
	Keys []string `env:"SECRET_KEYS"`
}

const minimumKeyLength = 32

// Validate returns an error for each setting that is wrong; nil if none is.
func (s *secrets) Validate() []error {
	if len(s.Keys) == 0 {
		return []error{
			fmt.Errorf("SECRET_KEYS is not set: give one or more keys of at least %d bytes, separated by commas",
				minimumKeyLength),
		}
	}
	var mistakes []error
	for i, key := range s.Keys {
		if len(key) < minimumKeyLength {
			mistakes = append(mistakes,
				fmt.Errorf("SECRET_KEYS: key %d has %d bytes, it needs at least %d", i+1, len(key), minimumKeyLength))
		}
	}
	return mistakes
}

// Bytes returns the keys as slices of bytes, in the same order.
func (s *secrets) Bytes() [][]byte {
	keys := make([][]byte, len(s.Keys))
	for i, key := range s.Keys {
		keys[i] = []byte(key)
	}
	return keys
}

// LoadSecrets reads SECRET_KEYS, and no other setting. It returns an error if there is no key or one is too short.
func LoadSecrets() ([][]byte, error) {
	var c struct{ Secrets secrets }
	if err := load(&c, &c.Secrets); err != nil {
		return nil, err
	}
	return c.Secrets.Bytes(), nil
}
