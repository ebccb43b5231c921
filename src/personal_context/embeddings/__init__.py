"""Text to vectors: embedded model, OpenAI-compatible servers, Ollama."""
