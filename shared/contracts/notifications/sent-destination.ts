// A destination in responses of generation 3. Contains only types, because browsers use them too. A response never contains the URL of a
// destination. Reference: docs/reference/v3.md, 10.1.
import type { SettingValue } from '#shared/contracts/notifications/destination.ts'

export interface SentDestination {
  id: string
  name: string
  type: string
  /** Channel without the leading `#`; empty: the destination has none. */
  channel: string
  enabled: boolean
  /** True if it is notified when an Incident opens, before the Incident is confirmed. */
  send_on_open: boolean
  default: boolean
  /** Settings of the type, secrets as `[redacted]`. Absent: the type has none. */
  settings?: Readonly<Record<string, SettingValue>>
}
