"""The pages that people look at: values in, HTML out. `site/` has their templates, styles, scripts and words."""
