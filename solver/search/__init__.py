"""From a start to a good placement: exchange, reinsertion, neighbourhoods, rounds over workers."""
