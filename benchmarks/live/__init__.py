"""How often the Tape panel gets a message while a kernel works, and what that costs the kernel."""
