"""Who corrects probabilities best on real predictions: calipers and other packages, on one plan."""
