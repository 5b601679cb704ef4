"""AutoGraph: a function's source is rewritten so that tensors can decide its control flow."""
