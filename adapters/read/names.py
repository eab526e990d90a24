"""What may name an object and a label, as the API server validates it.

Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
"""

from __future__ import annotations

import re

_SUBDOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_KEY_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?")
_LONGEST_NAME, _LONGEST_LABEL = 253, 63


def valid_name(name: str) -> bool:
    """Whether `name` is a DNS subdomain of at most 253 characters."""
    return len(name) <= _LONGEST_NAME and _SUBDOMAIN.fullmatch(name) is not None


def valid_namespace(name: str) -> bool:
    """Whether `name` is a DNS label of at most 63 characters."""
    return len(name) <= _LONGEST_LABEL and _LABEL.fullmatch(name) is not None


def valid_key(key: str) -> bool:
    """Whether `key` is a qualified name: an optional DNS subdomain, a slash, a name."""
    prefix, slash, name = key.rpartition("/")
    if slash and not valid_name(prefix):
        return False
    return len(name) <= _LONGEST_LABEL and _KEY_NAME.fullmatch(name) is not None
