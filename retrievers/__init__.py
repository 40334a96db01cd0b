"""Finding text: embedding, indexes, documents. Knows nothing of worlds or agents.

Start at `index.library.Library`, the indexes of a world. Public is only `Library`, in
`worksmith.plugins.worlds`.
"""
