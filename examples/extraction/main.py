"""
Extraction from documents in a batch, from end to end: reads a folder of text files, asks an agent for the same fields
of each, tries again what failed, and writes a table. A value that is missing or uncertain is marked for a person.

    python main.py invoices/ invoices.csv

MODEL is a model of your service, such as openai/gpt-5-mini; without it, answers are simulated.
"""

from __future__ import annotations

import csv
import os
import sys
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from agent_run_service import AgentRunService, params, types

AGENT_NAME = "extraction-example"
FIELDS = [
    {"name": "number", "description": "The number of the invoice."},
    {"name": "total", "type": "number", "description": "The amount to pay, with tax."},
    {"name": "date", "type": "date", "description": "When the invoice was issued."},
]


@dataclass
class Field:
    name: str
    value: str | None
    quote: str | None
    confidence: str


@dataclass
class Extract:
    """The output of the agent; the service has checked it against the schema of the agent."""

    fields: list[Field]


client = AgentRunService()  # reads ARS_API_KEY and ARS_BASE_URL


def find_agent() -> str:
    """The agent of this program: the one from an earlier start, or a new one from the catalog."""
    for agent in client.agents.list(q=AGENT_NAME, status="active"):
        if agent.name == AGENT_NAME:
            return agent.id
    config: params.AgentConfigInputParams = {"model": os.environ["MODEL"]} if "MODEL" in os.environ else {}
    return client.agents.hire("extractor", name=AGENT_NAME, config=config).id


def extract(folder: Path) -> list[types.BatchResult]:
    """The results of all documents. What failed is tried once more."""
    items: list[params.BatchItemParams] = [
        {"custom_id": file.name, "input": {"text": file.read_text(), "fields": FIELDS}}
        for file in sorted(folder.glob("*.txt"))
    ]
    # The same documents have the same key for 24 hours: if the program is started again, it finds its batch.
    key = sha256(repr(items).encode()).hexdigest()
    batch = client.batches.create_and_wait(agent_id=find_agent(), items=items, idempotency_key=key)
    results = {result.custom_id: result for result in client.batches.results(batch.id)}
    again = client.batches.retry_failed(batch.id, items=items, idempotency_key=f"{key}-again")
    if again:
        client.batches.wait(again.id)
        results |= {result.custom_id: result for result in client.batches.results(again.id)}
    return list(results.values())


def row_of(result: types.BatchResult) -> dict[str, str | None]:
    row: dict[str, str | None] = {"document": result.custom_id}
    if result.status != "completed":
        return row | {"review": result.error.message if result.error else result.status}
    fields = result.output_as(Extract).fields
    uncertain = [field.name for field in fields if field.value is None or field.confidence != "high"]
    return row | {field.name: field.value for field in fields} | {"review": " ".join(uncertain)}


def main() -> None:
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    rows = [row_of(result) for result in extract(source)]
    with target.open("w", newline="") as file:
        table = csv.DictWriter(file, ["document", *(field["name"] for field in FIELDS), "review"])
        table.writeheader()
        table.writerows(rows)
    print(f"{len(rows)} documents, {sum(1 for row in rows if row['review'])} to review")


main()
