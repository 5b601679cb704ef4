"""Side-by-side benchmarks; `make bench` runs them."""
