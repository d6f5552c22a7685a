"""Real transfers over an emulated link between two network namespaces: for pictures of the congestion controls, and for their tests."""
