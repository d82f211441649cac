"""The handbook: Markdown below docs/, built once as pages and served as files."""
