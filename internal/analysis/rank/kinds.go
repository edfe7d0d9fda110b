package rank

// KindNames returns the kinds of texts in the order of the model.
func KindNames() []string {
	return []string{kindPitch, kindReferral, kindNote, kindUpdate, kindReply, kindDigest, kindForm, kindNone}
}
