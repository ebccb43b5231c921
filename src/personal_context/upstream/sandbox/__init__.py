"""An Outline stand-in with the character faults of the real one."""
