// Package lessons applies what an account taught by its corrections to what is found next.
package lessons
