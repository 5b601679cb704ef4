"""How often the Tape panel is told while a kernel works, and what that costs the kernel."""
