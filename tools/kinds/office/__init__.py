"""The office world kind: calendar, mail, site analytics, project board and customers of one company."""
