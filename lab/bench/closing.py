"""The base class of objects that a test opens with `with`."""

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """An object that is closed at the end of its `with` block."""

    @abstractmethod
    def close(self) -> None:
        """Release everything that the object holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
