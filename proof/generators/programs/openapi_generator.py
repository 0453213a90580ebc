import os
import og_client
from og_client.api.runs_api import RunsApi

configuration = og_client.Configuration(
    host=os.environ["BASE_URL"], access_token=os.environ["API_KEY"], ssl_ca_cert=os.environ["CA_FILE"]
)
with og_client.ApiClient(configuration) as client:
    body = og_client.CreateRun(agent_id=os.environ["AGENT_ID"], input={"query": "Hello"})
    run = RunsApi(client).runs_create(create_run=body)
    # An open enumeration is a class around its text.
    assert run.status.actual_instance == "completed", run
    print(run.id, run.status.actual_instance)
