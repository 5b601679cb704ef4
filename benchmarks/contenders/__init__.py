"""One small adapter for each library; `TASKS` maps the name of a work to what sets it up."""
