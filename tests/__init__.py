"""The tests, in the packages of what they test; `lab.support` is what they share."""
