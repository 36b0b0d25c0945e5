"""What people read: tables, and what they become in a terminal, in Markdown and in files. It computes no estimate."""
