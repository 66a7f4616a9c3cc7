"""How the untrusted side is confined: by what, with which limits, and how it still reaches a broker."""
