"""What browsers allow a page. Servers need it without what renders pages."""

# What a page may fetch and run: what the site itself has. Who serves it says the same in a header, with
# `frame-ancestors`, which a page cannot say of itself.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'"
)
