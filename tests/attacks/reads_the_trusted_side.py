# attack: reads the oracle, the judge and all else of the kit that no replay needs
# checks: double_right
# outcome: double_right=PASSED
import importlib.util
import pathlib

for name in ("oracle", "judge", "content", "grading", "engines", "reports", "broker", "sandbox", "authoring", "model", "submission", "cli"):
    if importlib.util.find_spec(f"autograder.{name}") is not None:
        print("GAINED", name)
package = pathlib.Path(importlib.util.find_spec("autograder").origin).parent
for path in package.iterdir():
    if path.name not in ("__init__.py", "wire.py", "machine", "untrusted", "__pycache__"):
        print("GAINED", path)
