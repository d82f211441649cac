"""Pictures of charts."""
