"""One folder a kind of world. No other module names one of them."""
