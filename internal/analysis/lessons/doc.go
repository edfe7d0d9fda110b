// Package lessons applies an account's corrections of earlier findings to later ones.
package lessons
