// Makes messages from alerts: the destination's channel renders them, or the destination's payload template if it has one. Reads the names
// and templates that a batch of messages needs.

import { withAcknowledgeSlot } from '#shared/channels/acknowledge-slot.ts'
import { templateFields } from '#shared/channels/message/template-fields.ts'
import { linkOf } from '#shared/channels/message/words.ts'
import type { Channel, DigestFacts, MessageFacts, MessageLinks, RenderedRequest } from '#shared/channels/port.ts'
import { channelOf } from '#shared/channels/registry.ts'
import { shapeOf } from '#shared/channels/settings.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DestinationDocument, TransformationDocument } from '#shared/contracts/notifications/destination.ts'
import { pagePaths } from '#shared/contracts/session/page-paths.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import { contentTypeOf, renderTemplate } from '#shared/template/template.ts'
import type { NotifierContext } from '../context.ts'
import { eventOf } from '../record/event-of.ts'
import { standInFor } from './acknowledge-links.ts'

export interface MadeMessage {
  request: RenderedRequest
  /** Remark about the body, one sentence without a full stop; null: there is no remark. */
  note: string | null
}

interface Told extends DigestFacts {
  key: string
}

export type MessageMaker = ReturnType<typeof createMessageMaker>

export function createMessageMaker(context: Pick<NotifierContext, 'store' | 'clock' | 'logger' | 'options'>) {
  const { options, logger } = context
  const names = createLocationNames(context)
  const templates = createTemplates(context)
  const { encode } = createIncidentIds(options.incidentSalt)
  const factsOf = (alert: AlertDocument): MessageFacts => ({
    alert,
    incident: encode(alert.incidentId),
    locationName: names.nameOf,
  })
  /** Each test opens something of its own. */
  const keyOf = (channel: Channel, alert: AlertDocument) =>
    alert.facts.isTest && channel.life === 'alert' ? { incident: alert.id.replace('.', '-') } : {}
  const linksOf = (alert: AlertDocument): MessageLinks => ({ subject: linkOf(alert, options.publicUrl) })

  const rendered = (channel: Channel, alert: AlertDocument, destination: DestinationDocument, untakenMs?: number) => {
    const standIn = standInFor(alert, destination.id, options.linkBase ?? null)
    const request = channel.render(
      { ...factsOf(alert), ...keyOf(channel, alert), ...(untakenMs === undefined ? {} : { untakenMs }) },
      alert.kind === 'recovery' ? alert.kind : eventOf(alert),
      shapeOf(channel, destination),
      { ...linksOf(alert), ...(standIn === null ? {} : { acknowledge: standIn.address }) },
    )
    return request === null || standIn === null ? request : withAcknowledgeSlot(request, standIn.text)
  }
  /**
   * Templates are tested with samples before they are stored. If a stored template still fails for a message, the built-in body is sent
   * instead.
   */
  const byTemplate = (template: string, channel: Channel, alert: AlertDocument, destination: DestinationDocument) => {
    const workspaceName = templates.workspaceName(alert)
    const output = renderTemplate(template, templateFields(factsOf(alert), linksOf(alert), workspaceName, channel.neutralise))
    const contentType = contentTypeOf(template)
    if (output.ok) {
      return { request: channel.carry?.({ contentType, body: output.output }, shapeOf(channel, destination)), note: null }
    }
    const { transformationId } = destination
    logger.warn({ alertId: alert.id, transformationId, error: output.error }, 'template did not render a message')
    const note = `the built-in body was sent, because template ${transformationId} did not render`
    return { request: rendered(channel, alert, destination), note }
  }
  /** Returns the message that a function makes; null: it can make none. */
  const attempted = (alert: AlertDocument, make: () => MadeMessage | null): MadeMessage | null => {
    try {
      return make()
    } catch (error) {
      logger.error({ alertId: alert.id, error: String(error) }, 'message could not be made of an alert')
      return null
    }
  }
  return {
    /**
     * Returns a digest; null: nothing can be said. `alerts`: those that it lists, the worst first. `key`: unique, for far ends that sort
     * messages by their incident.
     */
    makeDigest: ({ alerts, counts, key }: Told, destination: DestinationDocument): MadeMessage | null => {
      const [alert] = alerts
      if (alert === undefined) return null
      return attempted(alert, () => {
        const channel = channelOf(destination.type)
        const facts = { alert, incident: key, locationName: names.nameOf, digest: { alerts, counts } }
        const links = { subject: `${options.publicUrl}${pagePaths.incidents}` }
        const request = channel.render(facts, 'digest', shapeOf(channel, destination), links)
        return request && { request, note: null }
      })
    },
    /** Reads the names and templates that `make` needs for these alerts and destinations. Rejects with a StoreError. */
    prepare: async (alerts: Iterable<AlertDocument>, destinations: Iterable<DestinationDocument>): Promise<void> => {
      const locations = [...alerts].flatMap(({ facts }) => [facts?.failing ?? [], facts?.unknown ?? [], facts?.ok ?? []])
      await Promise.all([names.load(locations.flat()), templates.load(destinations)])
    },
    /**
     * Returns the message; null: the alert is missing, or no message can be made from its facts for this destination. `untakenMs`: how long
     * nobody has taken the incident, ms; absent: the message does not say it.
     */
    make: (alert: AlertDocument | undefined, destination: DestinationDocument, untakenMs?: number): MadeMessage | null => {
      if (alert === undefined) return null
      return attempted(alert, () => {
        const channel = channelOf(destination.type)
        const template = channel.carry === undefined ? null : templates.templateOf(destination)
        const { request, note } =
          template === null
            ? { request: rendered(channel, alert, destination, untakenMs), note: null }
            : byTemplate(template, channel, alert, destination)
        return request == null ? null : { request, note }
      })
    },
  }
}

type Reading = Pick<NotifierContext, 'store' | 'clock'>

/** Names of locations, cached for a while because every message contains location names. */
function createLocationNames({ store, clock }: Reading) {
  const known = new Map<string, { name: string; readAt: number }>()
  const isFresh = (id: string) => {
    const entry = known.get(id)
    return entry !== undefined && clock.monotonic() - entry.readAt < limits.notifier.namesMs
  }
  return {
    load: async (locationIds: Iterable<string>) => {
      const wanted = [...new Set(locationIds)].filter(id => !isFresh(id))
      if (wanted.length === 0) return
      const found = await store.get('locations', wanted)
      if (known.size + wanted.length > limits.notifier.namesCached) known.clear()
      for (const [i, id] of wanted.entries()) known.set(id, { name: found[i]?.name ?? id, readAt: clock.monotonic() })
    },
    /** Returns the name of a location, or its id if the location does not exist. */
    nameOf: (id: string) => known.get(id)?.name ?? id,
  }
}

interface Read {
  text: string | null
  readAt: number
}

/** Payload templates and names of workspaces, read again for each batch, so that a saved template is used at once. */
function createTemplates({ store, clock }: Reading) {
  const templates = new Map<string, Read>()
  const workspaces = new Map<string, Read>()

  /** Texts that were read recently stay cached, because another batch may have read them and may not have built its bodies yet. */
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
    load: async (destinations: Iterable<DestinationDocument>) => {
      const using = [...destinations].filter(({ transformationId }) => transformationId !== null)
      if (using.length === 0) return
      await Promise.all([readTemplates(using), readWorkspaces([...new Set(using.map(({ workspaceId }) => workspaceId))])])
    },
    /** Returns the destination's template; null: the destination has no template, or the template was deleted. */
    templateOf: ({ workspaceId, transformationId }: DestinationDocument) =>
      transformationId === null ? null : (templates.get(keyOf(workspaceId, transformationId))?.text ?? null),
    /** Returns the name of the alert's workspace; empty if the workspace was deleted. */
    workspaceName: ({ workspaceId }: AlertDocument) => workspaces.get(workspaceId)?.text ?? '',
  }
}

const keyOf = (workspaceId: string, number: number): string => `${workspaceId}/${number}`
