"""Queue disciplines of links: how a queue chooses packets to send, and packets to drop or mark. One file a family."""
