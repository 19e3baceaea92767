"""Asks a running cds: see `Cds`."""

from .client import Cds, CdsError

__all__ = ["Cds", "CdsError"]
