"""The report as one HTML page that opens offline: what changed, and the transcripts side by side."""
