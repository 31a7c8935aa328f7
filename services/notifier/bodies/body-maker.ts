// Makes the bodies of messages out of alerts: by the destination's payload template, else the built-in one. What names and templates
// they need is read once per batch of them.
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { type ContentType, contentTypeOf, renderTemplate } from '#shared/template/template.ts'
import type { NotifierContext } from '../context.ts'
import { builtInBody, guardFor } from './built-in-body.ts'
import { templateFields } from './template-fields.ts'
import { createTemplates } from './templates.ts'

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
