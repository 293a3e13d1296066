"""What each page says and shows, as functions of the link's values."""
