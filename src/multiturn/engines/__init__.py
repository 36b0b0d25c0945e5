"""Engines: each file is one kind of thing that replies to messages, behind ``multiturn.protocols.Engine``."""
