"""What AWS Lambda calls with each request. The configuration lies beside this file."""

from pathlib import Path

from edge.serving.function import open_function

handle = open_function(Path(__file__).with_name("outings.toml"))
