"""What needs no key: probes, metrics, the contract's document."""
