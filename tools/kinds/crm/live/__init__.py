"""Live Salesforce orgs, through simple-salesforce: asking one, and moving a generated world to one."""
