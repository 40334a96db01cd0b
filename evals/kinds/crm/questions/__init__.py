"""Parts that all families of questions share: truths, periods, wordings, plans."""
