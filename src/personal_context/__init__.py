"""The gateway between an Outline wiki and AI agents."""
