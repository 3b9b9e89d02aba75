"""gpiozero's pin factories, by the names that a configuration file gives them."""
