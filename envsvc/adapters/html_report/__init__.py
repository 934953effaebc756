"""Show session reports as one page of HTML that needs nothing but itself."""
