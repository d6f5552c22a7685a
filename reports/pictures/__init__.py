"""The pictures of a run, in one place: colours, where nodes are drawn, which curves there are, and drawing them."""
