# The story of a stranger: a client generated from the document publishes a Template, watches a thing, reports, and reads what opened.
# Arguments: address, API key, workspace. Every answer must parse into the generated types.
import sys

from generated import AuthenticatedClient, Client
from generated.api.addresses import post_in_token, post_v3_workspaces_workspace_addresses as make_address
from generated.api.incidents import get_v3_workspaces_workspace_incidents as list_incidents
from generated.api.observations import post_v3_workspaces_workspace_observations as report_all
from generated.api.resources import get_v3_workspaces_workspace_resources as list_resources
from generated.api.resources import post_v3_workspaces_workspace_resources as create
from generated.api.templates import post_v3_workspaces_workspace_templates as publish
from generated.api.templates import post_v3_workspaces_workspace_templates_preview as preview
from generated.models import (
    GetV3WorkspacesWorkspaceResourcesLabel as Labels,
    GetV3WorkspacesWorkspaceResourcesMeta as Meta,
    PostInTokenBody as Report,
    PostV3WorkspacesWorkspaceAddressesBody as NewAddress,
    PostV3WorkspacesWorkspaceObservationsBody as Batch,
    PostV3WorkspacesWorkspaceResourcesBody as NewResource,
    PostV3WorkspacesWorkspaceTemplatesBody as Manifest,
    PostV3WorkspacesWorkspaceTemplatesPreviewBody as Trial,
)

address, key, workspace = sys.argv[1:]
client = AuthenticatedClient(base_url=address, token=key)


def done(answer, status):
    assert answer.status_code == status, f"{answer.status_code}: {answer.content.decode()}"
    return answer.parsed.result


beat = {"signal": "beat", "field": "status", "operator": "eq", "operand": "problem"}
manifest = {
    "key": "stranger",
    "version": 1,
    "name": "Of a stranger",
    "fields": [{"key": "city", "type": "string", "help": None}],
    "signals": [{"key": "beat", "kind": "heartbeat", "every_seconds": 60}],
    "rules": [
        {
            "key": "failing",
            "action": "Look at the log.",
            "wait": {"confirm_after": 120, "recover_after": 120},
            "decision": {"any": [{"all": [beat, {"not": {"signal": "beat", "field": "known"}}]}, beat]},
        }
    ],
}
done(publish.sync_detailed(workspace, client=client, body=Manifest.from_dict(manifest)), 201)
observation = {"signal": "beat", "state": "problem", "at": "2026-01-05T12:00:00Z"}
trial = Trial.from_dict({"manifest": {**manifest, "version": 2}, "observations": [observation]})
assert done(preview.sync_detailed(workspace, client=client, body=trial), 200).rules[0].key == "failing"

new = {"template": "stranger@1", "key": "lamp", "name": "Lamp", "meta": {"city": "Oslo"}, "labels": {"team": "core"}}
made = done(create.sync_detailed(workspace, client=client, body=NewResource.from_dict(new)), 201)
assert made.key == "lamp"


def found(label, city):
    filters = {"label": Labels.from_dict({"label.team": label}), "meta": Meta.from_dict({"meta.city": city})}
    return [one.key for one in done(list_resources.sync_detailed(workspace, client=client, template="stranger", **filters), 200)]


assert found("core", "Oslo") == ["lamp"]
assert found("other", "Oslo") == []
assert found("core", "Bergen") == []

token = done(make_address.sync_detailed(workspace, client=client, body=NewAddress(description="Lamps")), 201).token
report = Report.from_dict({"resource": "lamp", "signal": "beat", "state": "ok", "value": None})
assert done(post_in_token.sync_detailed(token, client=Client(base_url=address), body=report), 202).resource == made.id
batch = Batch.from_dict({"observations": [{"resource": "lamp", "signal": "beat", "state": "problem", "reason": "dark"}]})
assert done(report_all.sync_detailed(workspace, client=client, body=batch), 200).rejected == 0
assert "lamp" in [one.resource.key for one in done(list_incidents.sync_detailed(workspace, client=client), 200)]
print("The generated client has every operation, and its story ends well.")
