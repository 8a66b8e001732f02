"""Rate limits and quotas: the rule, and two stores of counters."""
