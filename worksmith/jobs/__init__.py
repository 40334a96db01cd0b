"""Jobs: settings in, a result out; no command line is needed."""
