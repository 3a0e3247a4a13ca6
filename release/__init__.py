"""How calipers is packed and published: wheels, the source, versions, the changelog."""
