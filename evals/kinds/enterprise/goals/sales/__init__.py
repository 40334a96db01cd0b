"""Goals about sales, products and customers."""
