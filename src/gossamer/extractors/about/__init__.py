"""What a page says of itself: title, author, dates, links."""
