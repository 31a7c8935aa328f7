// Whether anybody can be notified of incidents of the present workspace. Read once for each workspace, and again when destinations change.
import { effect, signal } from '@preact/signals'
import { askV3 } from './api.ts'
import { isSignedOut, workspace } from './session.ts'
import { onNews } from './stream.ts'

interface Receiver {
  name: string
  enabled: boolean
  default: boolean
}

/**
 * Reason why nobody is notified of an incident whose rule names no destination. `none`: there is no destination. `disabled`: all are
 * disabled. `no default`: the workspace has no enabled default. Null: somebody is notified, or it is not known yet.
 */
export type Unheard = 'none' | 'disabled' | 'no default' | null
export const unheard = signal<Unheard>(null)

export function unheardBy(receivers: readonly Pick<Receiver, 'enabled' | 'default'>[]): Unheard {
  if (receivers.length === 0) return 'none'
  const working = receivers.filter(({ enabled }) => enabled)
  if (working.length === 0) return 'disabled'
  return working.some(one => one.default) ? null : 'no default'
}

/** Called with the destinations of the present workspace whenever a page has read them. */
export function noteReceivers(receivers: readonly Pick<Receiver, 'enabled' | 'default'>[]): void {
  unheard.value = unheardBy(receivers)
}

/** Reads the destinations of each workspace that is shown. A failed read changes nothing. */
export function startNotified(): void {
  let latest: string | null = null
  const read = async (id: string) => {
    latest = id
    const receivers = await askV3<Receiver[]>('GET', `/workspaces/${encodeURIComponent(id)}/destinations`).catch(() => null)
    if (receivers !== null && latest === id) noteReceivers(receivers)
  }
  effect(() => {
    const id = workspace.value?.id
    if (id !== undefined && id !== latest && !isSignedOut.value) void read(id)
  })
  onNews(name => void (name === 'reset' && latest !== null && read(latest)))
}
