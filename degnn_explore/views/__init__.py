"""What is drawn in a notebook: the Explorer, its canvas, and the charts. The library never imports this package."""
