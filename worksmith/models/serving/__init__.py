"""A local model as a server with OpenAI's chat API."""
