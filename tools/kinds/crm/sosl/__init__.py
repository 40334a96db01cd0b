"""SOSL: parser, search index, engine. A statement that is refused raises `QueryError` everywhere."""
