"""How many examples a property test tries.

All of them under hypothesis profile `ci`, the default; a tenth under `dev`, as in `make check`.
"""

from hypothesis import settings

DEV_SHARE = 10


def examples(count: int) -> int:
    """Return the number of examples to try instead of `count` under the present profile."""
    if settings.get_current_profile_name() == "dev":
        return max(1, count // DEV_SHARE)
    return count
