"""One module per technology: everything here touches the world."""
