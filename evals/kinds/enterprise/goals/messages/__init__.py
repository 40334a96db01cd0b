"""Goals about chats and mails, in every area."""
