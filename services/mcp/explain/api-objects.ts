// Parts of the API's objects that an explanation needs (docs/reference/v3.md, 3.6, 5.5 and 6.6).

import type { DeliveryStatus } from '#shared/contracts/notifications/delivery-status.ts'
export interface Step {
  state: string
  at: string
  event: string
}

export interface Evidence {
  inputs: object[]
  omitted: number
  truncated: boolean
}

export interface Transition {
  at: string
  kind: string
  evidence: Evidence | null
}

export interface Incident {
  id: string
  resource: { id: string; key: string; name: string }
  rule: string
  lifecycle: 'open' | 'closed'
  confirmation: string
  condition: string
  cause: string | null
  explanation: string
  closed_reason: string | null
  opened_at: string
  confirmed_at: string | null
  closed_at: string | null
  effective_at: string
  acknowledgement: { by: string; at: string; via: string } | null
  action: string | null
  history: Transition[]
  next: { what: 'confirm' | 'close' | 'remind'; at: string } | null
  path: Step[]
  path_omitted: number
}

export interface Resource {
  template: string | null
  meta: Record<string, unknown>
  maintenance: { from: string; until: string; by: string } | null
}

export interface Rule {
  key: string
  signals: string[]
  help: string
  action: string | null
  wait: unknown
  decision: unknown
}

export interface Template {
  id: string
  rules: Rule[]
}

export interface Delivery {
  at: string
  destination: string | null
  event: string
  status: DeliveryStatus
  reason: string | null
}
