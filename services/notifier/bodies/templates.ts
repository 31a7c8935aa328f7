// The payload templates and workspace names that messages need, read anew for each batch of them: a template that was just saved is
// used at once.
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DestinationDocument, TransformationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import type { NotifierContext } from '../context.ts'

export interface Templates {
  /** Reads what messages to these destinations need. Rejects with a StoreError. */
  load(destinations: Iterable<DestinationDocument>): Promise<void>
  /** Null where the destination has none, or one that is gone. */
  templateOf(destination: DestinationDocument): string | null
  /** Empty where the workspace is gone. */
  workspaceName(alert: Pick<AlertDocument, 'workspaceId'>): string
}

interface Read {
  text: string | null
  readAt: number
}

export function createTemplates({ store, clock }: Pick<NotifierContext, 'store' | 'clock'>): Templates {
  const templates = new Map<string, Read>()
  const workspaces = new Map<string, Read>()

  /** Other rounds may stand between reading and making: what they read a moment ago stays. */
  const remember = (known: Map<string, Read>, key: string, text: string | null) => {
    const readAt = clock.monotonic()
    known.delete(key)
    known.set(key, { text, readAt })
    for (const [oldest, entry] of known) {
      if (readAt - entry.readAt < limits.notifier.namesMs) break
      known.delete(oldest)
    }
  }
  const readTemplates = async (using: readonly DestinationDocument[]) => {
    const numbers = [...new Set(using.map(({ transformationId }) => transformationId as number))]
    const found: TransformationDocument[] = []
    for (let at = 0; at < numbers.length; at += limits.notifier.batch) {
      const some = numbers.slice(at, at + limits.notifier.batch)
      found.push(...(await store.find('transformations', { where: { number: { in: some } }, limit: some.length })))
    }
    const byKey = new Map(found.map(({ workspaceId, number, template }) => [keyOf(workspaceId, number), template]))
    for (const { workspaceId, transformationId } of using) {
      const key = keyOf(workspaceId, transformationId as number)
      remember(templates, key, byKey.get(key) ?? null)
    }
  }
  const readWorkspaces = async (ids: readonly string[]) => {
    const found = await store.get('workspaces', ids)
    for (const [i, id] of ids.entries()) remember(workspaces, id, found[i]?.name ?? null)
  }
  return {
    load: async destinations => {
      const using = [...destinations].filter(({ transformationId }) => transformationId !== null)
      if (using.length === 0) return
      await Promise.all([readTemplates(using), readWorkspaces([...new Set(using.map(({ workspaceId }) => workspaceId))])])
    },
    templateOf: ({ workspaceId, transformationId }) =>
      transformationId === null ? null : (templates.get(keyOf(workspaceId, transformationId))?.text ?? null),
    workspaceName: ({ workspaceId }) => workspaces.get(workspaceId)?.text ?? '',
  }
}

const keyOf = (workspaceId: string, number: number): string => `${workspaceId}/${number}`
