"""Feeds over HTTP: asked for, asked again, bounded, and not sent when they are as they were."""
