"""Prints what each agent did and cost in a month, the most expensive first: python main.py 2026-11"""

import sys

from agent_run_service import AgentRunService

client = AgentRunService()
usage = client.usage.get(month=sys.argv[1]) if len(sys.argv) > 1 else client.usage.get()

print(f"{usage.period.start} to {usage.period.end}: {usage.calls.used} of {usage.calls.limit} calls")
for each in sorted(usage.by_agent, key=lambda each: each.figures.cost_usd, reverse=True):
    figures = each.figures
    print(f"{each.name or each.agent_id}: {figures.runs} runs, {figures.failed} failed, {figures.cost_usd:.2f} USD")
print(f"total: {usage.totals.runs} runs, {usage.totals.cost_usd:.2f} USD")
