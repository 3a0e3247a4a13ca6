"""Settings for all: nobody is told that a test was run, and nothing is looked for elsewhere."""

import os

# Read when the packages are imported, which is after this file.
os.environ["DO_NOT_TRACK"] = os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["NML_DISABLE_USAGE_LOGGING"] = os.environ["HF_HUB_OFFLINE"] = "1"
