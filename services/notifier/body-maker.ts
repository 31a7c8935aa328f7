// Makes the bodies of messages out of alerts, with the names of locations looked up once per round.
import type { AlertDocument } from '#shared/contracts/alert.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import { createIncidentIds } from '#shared/incident-ids.ts'
import type { Logger } from '#shared/logger.ts'
import { builtInBody } from './body.ts'
import type { LocationNames } from './location-names.ts'
import type { NotifierOptions } from './parts.ts'

export interface BodyMaker {
  /** Reads the names that these alerts' bodies need. Rejects with a StoreError. */
  prepare(alerts: Iterable<AlertDocument>): Promise<void>
  /** Null where no body can be made: the alert is gone, or its facts are not what they should be. */
  make(alert: AlertDocument | undefined, destination: DestinationDocument): string | null
}

export function createBodyMaker(names: LocationNames, options: NotifierOptions, logger: Logger): BodyMaker {
  const ids = createIncidentIds(options.incidentSalt)
  const context = { publicUrl: options.publicUrl, encodeIncidentId: ids.encode, locationName: names.nameOf }
  return {
    prepare: alerts => names.load([...alerts].flatMap(({ facts }) => facts?.failing ?? [])),
    make: (alert, destination) => {
      if (alert === undefined) return null
      try {
        return builtInBody(alert, destination, context)
      } catch (error) {
        logger.error({ alertId: alert.id, error: String(error) }, 'Could not make a message out of an alert')
        return null
      }
    },
  }
}
