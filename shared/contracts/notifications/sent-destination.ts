// A destination in responses of generation 3. Types only, because a browser loads them too. Never has a URL. Rule: docs/reference/v3.md,
// 10.1.

export interface SentDestination {
  id: string
  name: string
  type: 'slack' | 'webhook'
  /** Of Slack, without the leading `#`; empty: none. */
  channel: string
  enabled: boolean
  /** A webhook that is notified when an Incident opens, before it is confirmed. */
  send_on_open: boolean
  default: boolean
}
