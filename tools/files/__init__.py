"""Reading and writing files that other processes, or strangers, write as well."""
