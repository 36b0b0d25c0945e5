"""FastChat's files (MT-Bench): questions, answers and judgments as runs and judgments of ours, and back."""
