"""Making tensors, giving them another shape, picking from them, putting them in order."""
