"""Layer 2: tensors, variables, ops, the tape, the way back, and the log beside the tape."""
