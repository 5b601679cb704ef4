"""The exercises of each lesson of the course, a file a lesson."""
