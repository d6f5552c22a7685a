"""Looking at runs: the live page, recordings, the Wireshark dissector, the notebook."""
