// A workspace as the API returns it, and plans that bring it to the state of files.
import { readObjects } from '../../../services/gateway/configuration/document.ts'
import { plan } from '../../../services/gateway/configuration/plan.ts'
import type { Present } from '../../../services/gateway/configuration/present.ts'
import { readWanted } from '../../../services/gateway/configuration/wanted.ts'

export const resource = { labels: {}, meta: {}, archived_at: null, name: 'A' }
export const present: Present = {
  locations: [{ id: 'aaaa', name: 'local' }],
  destinations: [{ id: 'd1', name: 'Ops', type: 'slack', channel: '', enabled: true, send_on_open: false, default: true }],
  templates: [],
  resources: [
    { ...resource, id: 'r1', key: 'old', template: 'job@1', archived_at: '2026-10-05T12:00:00Z' },
    { ...resource, id: 'r2', key: 'shop', template: 'website-check@1' },
    { ...resource, id: 'r3', key: 'queue', template: null },
  ],
  classic: {
    subjects: [{ key: 'queue', signals: [{ key: 'depth', name: 'Depth', kind: 'event', meta: {} }], rules: [] }],
    customMonitors: [],
    tables: new Map(),
    numbers: new Map(),
  },
}
export const planned = (text: string, over: { present?: Present; prune?: boolean; environment?: Record<string, string> } = {}) =>
  plan(readWanted(readObjects('a.yaml', text)), over.present ?? present, {
    workspace: 'w1',
    prune: over.prune ?? false,
    environment: over.environment ?? {},
  })

export const job = `kind: Template
key: job
name: Job
fields:
  - {key: most, type: integer, default: 5}
signals:
  - {key: run, kind: event}
rules:
  - key: fails
    action: Look.
    wait: {confirm_after: 0, recover_after: 0}
    decision: {signal: run, field: status, operator: eq, operand: problem}
`
export const bound = (more: string) => `${job}---\nkind: Resource\nkey: a\nname: A\n${more}`
