"""One folder a kind of suite. No other module names one of them."""
