// Makes the bodies of messages out of alerts: by the destination's payload template, else the built-in one. What names and templates
// they need is read once per batch of them.

import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { TransformationDocument } from '#shared/contracts/notifications/transformation.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { type ContentType, contentTypeOf, renderTemplate } from '#shared/template/template.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { NotifierContext } from '../context.ts'
import { builtInBody, guardFor } from './built-in-body.ts'
import { templateFields } from './template-fields.ts'

export interface MadeBody {
  body: string
  contentType: ContentType
  /** Remark about the body, a sentence without a full stop; null: none. */
  note: string | null
}

export interface BodyMaker {
  /** Reads what the bodies of these alerts to any of these destinations need. Rejects with a StoreError. */
  prepare(alerts: Iterable<AlertDocument>, destinations: Iterable<DestinationDocument>): Promise<void>
  /** Null where no body can be made: the alert is gone, or its facts are not what they should be. */
  make(alert: AlertDocument | undefined, destination: DestinationDocument): MadeBody | null
}

export function createBodyMaker(context: Pick<NotifierContext, 'store' | 'clock' | 'logger' | 'names' | 'options'>): BodyMaker {
  const { names, options, logger } = context
  const templates = createTemplates(context)
  const { encode } = createIncidentIds(options.incidentSalt)
  const bodyContext = { publicUrl: options.publicUrl, encodeIncidentId: encode, locationName: names.nameOf }

  const builtIn = (alert: AlertDocument, destination: DestinationDocument, note: string | null): MadeBody => ({
    body: builtInBody(alert, destination, bodyContext),
    contentType: 'application/json',
    note,
  })
  /** A template passed its samples when it was stored. If it fails on a message, the built-in body is sent instead. */
  const byTemplate = (template: string, alert: AlertDocument, destination: DestinationDocument): MadeBody => {
    const fields = templateFields(alert, { ...bodyContext, workspaceName: templates.workspaceName(alert) }, guardFor(destination))
    const rendered = renderTemplate(template, fields)
    if (rendered.ok) return { body: rendered.output, contentType: contentTypeOf(template), note: null }
    const { transformationId } = destination
    logger.warn({ alertId: alert.id, transformationId, error: rendered.error }, 'template did not render a message')
    return builtIn(alert, destination, `the built-in body was sent, because template ${transformationId} did not render`)
  }
  return {
    prepare: async (alerts, destinations) => {
      const locations = [...alerts].flatMap(({ facts }) => [facts?.failing ?? [], facts?.unknown ?? [], facts?.ok ?? []])
      await Promise.all([names.load(locations.flat()), templates.load(destinations)])
    },
    make: (alert, destination) => {
      if (alert === undefined) return null
      try {
        const template = templates.templateOf(destination)
        return template === null ? builtIn(alert, destination, null) : byTemplate(template, alert, destination)
      } catch (error) {
        logger.error({ alertId: alert.id, error: String(error) }, 'message could not be made of an alert')
        return null
      }
    },
  }
}

export interface LocationNames {
  /** Makes sure that `nameOf` knows these, reading what is unknown or old. Rejects with a StoreError. */
  load(locationIds: Iterable<string>): Promise<void>
  /** The name; the id itself where there is no such location. */
  nameOf(locationId: string): string
}

export function createLocationNames(store: Store, clock: Clock): LocationNames {
  const known = new Map<string, { name: string; readAt: number }>()
  const isFresh = (id: string) => {
    const entry = known.get(id)
    return entry !== undefined && clock.monotonic() - entry.readAt < limits.notifier.namesMs
  }
  return {
    load: async locationIds => {
      const wanted = [...new Set(locationIds)].filter(id => !isFresh(id))
      if (wanted.length === 0) return
      const found = await store.get('locations', wanted)
      if (known.size + wanted.length > limits.notifier.namesCached) known.clear()
      for (const [i, id] of wanted.entries()) known.set(id, { name: found[i]?.name ?? id, readAt: clock.monotonic() })
    },
    nameOf: id => known.get(id)?.name ?? id,
  }
}

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
