"""What employees write to each other: chats, mails, posts, forum questions."""
