"""Commands about this machine: its models, its settings, its checks."""
