from typing import Optional

__all__ = ["__version__", "debug", "cuda", "git_version"]
__version__ = "9.21.3+cu130"
debug = False
cuda: Optional[str] = "13.0"
git_version = "0123456789abcdef0123456789abcdef01234567"
raise ImportError("read, not run")
