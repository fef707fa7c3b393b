"""llama.cpp's own server, from the wheel xllamacpp, as a program: model, port and whether it makes embeddings."""

import sys
import threading

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[2])
params.n_ctx = 16384
params.n_parallel = 2
params.n_predict = 200
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.use_jinja = True
params.warmup = False
if "--embeddings" in sys.argv:
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
server = xllamacpp.Server(params)
print(f"listening at {server.listening_address}", flush=True)
threading.Event().wait()
