"""Layer 1: raw arrays in, raw arrays out."""
