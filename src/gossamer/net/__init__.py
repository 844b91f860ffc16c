"""The doors to the network: `web`, guarded, and `api`, trusted."""
