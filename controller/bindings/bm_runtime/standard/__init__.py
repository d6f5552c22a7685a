"""The service ``standard``: tables, arrays, ports, the program."""
