"""Language models in the harness: counted, retried, priced, with their failures told apart."""

import os

# DSPy and LiteLLM come with a list of prices. Without this they look for a newer one on the network first.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
