"""Layer 5: from a Recording to pictures and text, as pure functions."""
