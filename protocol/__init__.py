"""Nodectl on the wire: headers, messages, events, batches, numbers, variants; model/ says what a switch does with them."""
