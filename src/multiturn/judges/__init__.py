"""Judges: what they are asked, how what they write is read, and what comes of it. Strangers to the other workers."""
