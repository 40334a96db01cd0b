"""SOQL: parser, resolver, compiler to SQLite. A statement that is refused raises `QueryError` everywhere."""
