# SPDX-License-Identifier: Apache-2.0
"""Native OpenVINO on one thread: a process that answers the calls of places.mjs, as harness/host.mjs does for
the other engines. Each line of stdin is {"id", "method", "args"}, each line of stdout {"id", "result"} or
{"id", "error"}.

With ONEDNN_MAX_CPU_ISA, some networks do not compile. Without VNNI, sums of integers may saturate, and the results
are wrong. Such a case has no time, and the run goes on.
"""

import json
import math
import os
import sys
import time

import numpy as np
import openvino as ov
from models.tolerance import largest_error

OPTIONS = {
    "INFERENCE_NUM_THREADS": 1,
    "NUM_STREAMS": 1,
    "PERFORMANCE_HINT": "LATENCY",
    # The defaults of wasmvino. On some processors OpenVINO would choose bf16.
    "INFERENCE_PRECISION_HINT": "f32",
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": 32,
    # The other engines are not bound to a processor either.
    "ENABLE_CPU_PINNING": False,
}
# The shortest time that the clock measures with an error of at most 1 %, like in Node.js.
SAMPLE_MS = 0.1
ISA = os.environ.get("ONEDNN_MAX_CPU_ISA")
ISA_NAMES = {None: "", "SSE41": " SSE4.1"}


def now_ms():
    return 1e3 * time.perf_counter()


class WrongResult(Exception):
    """An output differs from the golden."""


class Host:
    """The methods are those of the Host in harness/host.mjs."""

    def __init__(self):
        self.core = ov.Core()
        self.unload()

    def open(self, _options):
        return {
            "name": "OpenVINO" + ISA_NAMES.get(ISA, f" {ISA}"),
            "version": ov.get_version().split("-")[0],
            "build": f"native, ONEDNN_MAX_CPU_ISA={ISA}" if ISA else "native",
        }

    def load(self, folder):
        """Returns None if the case has no form for OpenVINO, {"refused": reason} if the ISA does not suffice."""
        try:
            return self._load(folder)
        except WrongResult as error:
            return {"refused": str(error)}
        except RuntimeError as error:
            if not ISA:
                raise
            return {"refused": str(error).strip().splitlines()[-1]}

    def _load(self, folder):
        with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
            self.case = json.load(file)
        if "ir" not in self.case["forms"]:
            return None
        xml, _ = self.case["forms"]["ir"]

        def arrays(entries):
            return {name: np.load(os.path.join(folder, array["file"])) for name, array in entries.items()}

        begin = now_ms()
        compiled = self.core.compile_model(os.path.join(folder, xml), "CPU", OPTIONS)
        self.request = compiled.create_infer_request()
        loaded = now_ms()
        # Per set: the inputs with a tensor of each, and the goldens.
        self.sets = [
            (
                [
                    (name, array, ov.Tensor(np.empty_like(array)))
                    for name, array in arrays(one_set["inputs"]).items()
                ],
                arrays(one_set["outputs"]),
            )
            for one_set in self.case["sets"]
        ]
        begin_run = now_ms()
        self._pass()
        return {"loadMs": loaded - begin, "firstRunMs": now_ms() - begin_run, **self._check()}

    def _pass(self):
        """Runs the case once: every set, from arrays to arrays. Copies inputs in and outputs out once."""
        self.outputs = []
        for inputs, _ in self.sets:
            for name, array, tensor in inputs:
                np.copyto(tensor.data, array)
                self.request.set_tensor(name, tensor)
            self.request.infer()
            self.outputs.append([tensor.data.copy() for tensor in self.request.output_tensors])

    def _check(self):
        worst = 0.0
        for number, (_, goldens) in enumerate(self.sets):
            for (name, golden), got in zip(goldens.items(), self.outputs[number]):
                where = f"{self.case['name']}, set {number}, output '{name}'"
                if got.shape != golden.shape:
                    raise WrongResult(f"{where}: shape {got.shape}, {golden.shape} expected")
                if name in self.case["exact"]:
                    if not np.array_equal(got, golden):
                        raise WrongResult(f"{where} differs")
                    continue
                error = largest_error(got, golden)
                worst = max(worst, math.inf if math.isnan(error) else error)
                if not worst <= self.case["tolerance"]:
                    allowed = self.case["tolerance"]
                    raise WrongResult(
                        f"{where}: differs by {worst:.1e} of the largest value, {allowed} is allowed"
                    )
        return {"error": worst}

    def warmUp(self, milliseconds):
        best, typical, level, windows = math.inf, 0.0, 0, 0
        limit = now_ms() + 10 * milliseconds
        while (windows < 3 or level < 2) and now_ms() < limit:
            times = self._times(milliseconds / 3, 1)
            typical = times[len(times) // 2]
            level = 0 if times[0] < 0.97 * best else level + 1
            best = min(best, times[0])
            windows += 1
        self.runs_per_sample = max(1, math.ceil(SAMPLE_MS / max(typical, SAMPLE_MS / 1000)))

    def _times(self, milliseconds, runs, least=1):
        """Milliseconds of one run, by sample, fastest first."""
        times = []
        begin = now_ms()
        while not times or now_ms() - begin < milliseconds or len(times) < least:
            start = now_ms()
            for _ in range(runs):
                self._pass()
            times.append((now_ms() - start) / runs)
        return sorted(times)

    def slot(self, milliseconds):
        self._pass()  # refills the caches after the slots of other engines
        return {"times": self._times(milliseconds, self.runs_per_sample, least=4), **self._check()}

    def profile(self, _runs):
        return None

    def unload(self):
        self.case = self.request = self.sets = self.outputs = None
        self.runs_per_sample = 1


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever OpenVINO prints is no answer
    host = Host()
    for line in sys.stdin:
        call = json.loads(line)
        try:
            answer = {"result": getattr(host, call["method"])(*call["args"])}
        except Exception as error:  # pylint: disable=broad-except
            answer = {"error": str(error).strip() or repr(error)}
        answers.write(json.dumps({"id": call["id"], **answer}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
