"""From a typed query to the best sections."""
