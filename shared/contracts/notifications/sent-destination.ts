// A destination in responses of generation 3. Contains only types, because browsers use them too. A response never contains the URL of a
// destination. Reference: docs/reference/v3.md, 10.1.

export interface SentDestination {
  id: string
  name: string
  type: 'slack' | 'webhook'
  /** Slack channel without the leading `#`; empty: the destination has no channel. */
  channel: string
  enabled: boolean
  /** True for a webhook that is notified when an Incident opens, before the Incident is confirmed. */
  send_on_open: boolean
  default: boolean
}
