"""The hub: brings sources, boards, store and readers together."""
