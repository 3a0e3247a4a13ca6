"""Run the example notebooks, and keep what they show.

Usage: python examples/execute.py [--check]

With --check nothing is written: it is enough that every cell runs.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def main() -> None:
    """Run every notebook in this folder."""
    for path in sorted(HERE.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        # Run where it is, as whoever opens it does.
        where = {"metadata": {"path": str(HERE)}}
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources=where).execute()
        if "--check" not in sys.argv[1:]:
            # When a cell ran, and on which Python, would differ every time.
            for cell in notebook.cells:
                cell.metadata.pop("execution", None)
            notebook.metadata.pop("language_info", None)
            nbformat.write(notebook, path)
        print(f"{path.name}: {len(notebook.cells)} cells")


if __name__ == "__main__":
    main()
