"""How the untrusted side is confined."""
