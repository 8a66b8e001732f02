"""Forecasts: fetched in the background for each metro, shared by a machine's workers; no request waits for one."""
