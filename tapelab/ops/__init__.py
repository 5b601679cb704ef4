"""Layer 3: one declaration per op."""
