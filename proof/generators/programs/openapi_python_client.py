import importlib
import os
import pkgutil
import ssl

import opc_client
from opc_client import AuthenticatedClient
from opc_client.api.runs import runs_create
from opc_client.models import CreateRun, Run

for module in pkgutil.walk_packages(opc_client.__path__, "opc_client."):
    importlib.import_module(module.name)

context = ssl.create_default_context(cafile=os.environ["CA_FILE"])
client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["API_KEY"], verify_ssl=context)
body = CreateRun.from_dict({"agent_id": os.environ["AGENT_ID"], "input": {"query": "Hello"}})
run = runs_create.sync(client=client, body=body)
assert isinstance(run, Run), run
assert run.status == "completed", run
print(run.id, run.status)
