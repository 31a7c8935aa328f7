// Former secrets of destinations where alerts stay open until they are ended: they end what they opened, and nothing else uses them (v3 10.20).
// Stored as the present secrets are, never part of a response.
import { repeat } from '#shared/async/repeat.ts'
import type { Channel } from '#shared/channels/port.ts'
import type { DestinationDocument, FormerSecret } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

const { formerSecrets, formerMs, forgetMs } = limits.destination

/** Returns the former secrets after a change of the settings; nothing if no secret is replaced. `at`: ms since the epoch. */
export function formerAfter(
  { life, fields }: Channel,
  { settings: present = {}, former = [] }: Pick<DestinationDocument, 'settings' | 'former'>,
  settings: NonNullable<DestinationDocument['settings']>,
  at: number,
): Pick<DestinationDocument, 'former'> {
  if (life !== 'alert') return {}
  const keys = fields.filter(({ mark }) => mark === 'secret').map(({ key }) => key)
  const replaced = keys.flatMap((key): FormerSecret[] => {
    const value = present[key]
    return value === undefined || isSameValue(value, settings[key]) ? [] : [{ key, value, until: at + formerMs }]
  })
  if (replaced.length === 0) return {}
  const known = [...replaced, ...former.filter(({ until }) => until > at)].filter(
    ({ key, value }, i, all) =>
      !isSameValue(value, settings[key]) && all.findIndex(one => one.key === key && isSameValue(one.value, value)) === i,
  )
  return { former: keys.flatMap(key => known.filter(one => one.key === key).slice(0, formerSecrets)) }
}

/** Starts the removal of former secrets whose time is over. Several processes may do it at the same time. Returns a function that stops it. */
export function startForgetting(store: Store, clock: Clock, logger: Logger): Cancel {
  const onError = (error: unknown) => logger.warn({ err: error }, 'former secrets of destinations could not be removed')
  const forgetting = repeat({ clock, everyMs: forgetMs, onError }, () => forgetFormer(store, clock.now()))
  return () => void forgetting.stop()
}

/** Removes former secrets whose time is over at `at`, ms since the epoch. Rejects with a StoreError. */
export async function forgetFormer(store: Store, at: number): Promise<void> {
  for await (const page of pagesOf({ where: {}, limit: limits.store.findMax }, query => store.find('destinations', query))) {
    const changed = page.flatMap(({ former = [], ...destination }) => {
      const kept = former.filter(({ until }) => until > at)
      if (kept.length === former.length) return []
      return [{ ...destination, rev: destination.rev + 1, ...(kept.length === 0 ? {} : { former: kept }) }]
    })
    // A write is refused only if the destination was changed meanwhile; the next round sees it.
    if (changed.length > 0) await store.replace('destinations', changed)
  }
}
