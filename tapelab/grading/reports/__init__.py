"""What teachers and students read: statistics, what submissions have in common, feedback."""
