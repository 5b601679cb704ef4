"""Layer 2: tensors, variables, ops, the tape, the backward pass, and the log beside the tape."""
