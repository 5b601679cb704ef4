"""Layer 6: what stands in a notebook cell and answers to clicks."""
