package mimemail

import "strings"

// unflow joins the lines of "format=flowed" text (RFC 3676) that were one line before the sender's program wrapped
// them. It does not join lines of different depths of quotation, nor a line with the signature separator "-- ". With
// delSp, it removes the space at the end of each wrapped line.
func unflow(text string, delSp bool) string {
	var out strings.Builder
	open, depth := false, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		quotes := len(line) - len(strings.TrimLeft(line, ">"))
		body := strings.TrimPrefix(line[quotes:], " ")
		isSignature := body == "-- "
		if open && (quotes != depth || isSignature) {
			out.WriteByte('\n')
			open = false
		}
		if !open && quotes > 0 {
			out.WriteString(strings.Repeat(">", quotes) + " ")
		}
		depth, open = quotes, strings.HasSuffix(body, " ") && !isSignature
		if open && delSp {
			body = strings.TrimSuffix(body, " ")
		}
		out.WriteString(body)
		if !open {
			out.WriteByte('\n')
		}
	}
	return out.String()
}
