"""The mirror: pull brings documents in, push takes contents out, on a clock."""
