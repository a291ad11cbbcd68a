"""The logic of both clients, without input and output."""
