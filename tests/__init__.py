"""The tests, in the packages of what they test; `support` is what they share."""
