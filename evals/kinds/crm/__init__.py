"""CRM suites: nine families of questions over a generated org, their truths and their scores."""
