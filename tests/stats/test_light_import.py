"""Statistics are loaded when they are needed, not before."""

from __future__ import annotations

import subprocess
import sys


def test_the_package_loads_neither_numpy_nor_scipy() -> None:
    """Nor do the tables: someone who only asks for help does not wait for them."""
    program = "import sys, multiturn, multiturn.report.tables; print(sorted({'numpy', 'scipy'} & sys.modules.keys()))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
