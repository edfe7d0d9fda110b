package rank

// KindNames returns the kinds of texts in the order of the classes of the model Kind.
func KindNames() []string {
	return []string{kindPitch, kindReferral, kindNote, kindUpdate, kindReply, kindDigest, kindForm, kindNone}
}
