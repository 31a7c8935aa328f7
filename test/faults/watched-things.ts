// Monitors and custom subjects of a fault run. Commands on the bus create them, because these commands allow shorter intervals than the API
// and let the run choose the ids.
import type { KeeperClient } from '#shared/bus/clients/clients.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import { second } from '#shared/limits/limits.ts'
import { randomId } from '#shared/text/ids.ts'
import { websiteCheck } from '../support/checks.ts'
import type { Pace } from './pace.ts'
import type { Stage } from './stage.ts'

/** Returns the fields that are the same in every command that creates a thing in the stage's workspace. */
const identityOf = ({ workspaceId }: Stage, name: string) => ({ workspaceId, slug: name, name })

/** Largest number of attempts of a command: on a busy machine a keeper may respond after the timeout of its client. */
const triesMax = 5

/** Sends the command; after an error, sends it again with the same id. */
async function send(keeper: KeeperClient, id: string, command: object): Promise<void> {
  const sent = { id: randomId(8), ...command } as unknown as Command
  for (let tries = 1; ; tries++) {
    try {
      await keeper.send(id, sent)
      return
    } catch (error) {
      if (tries === triesMax) throw error
    }
  }
}

/** Deletes a website monitor or a subject. */
export const remove = (keeper: KeeperClient, id: string): Promise<void> => send(keeper, id, { kind: 'delete-subject' })

/** Creates a website monitor and resolves with its id. */
export async function createSite(stage: Stage, keeper: KeeperClient, name: string, pace: Pace): Promise<string> {
  const id = randomId(10)
  const check = websiteCheck({
    url: stage.outside.siteUrl(name),
    locations: [stage.locationId],
    interval_value: pace.intervalMs / second,
    interval_unit: 'SECOND',
    confirm_after: pace.confirmMs / second,
    recover_after: pace.recoverMs / second,
  })
  await send(keeper, id, { kind: 'create-website', ...identityOf(stage, name), check })
  return id
}

/**
 * Creates a subject with a signal `beat` and a rule over its status. The rule reads silence unless `noDataAfterMs` is null. Resolves with
 * its id.
 */
export async function createReported(
  stage: Stage,
  keeper: KeeperClient,
  name: string,
  noDataAfterMs: number | null,
  { ruleConfirmMs }: Pace,
): Promise<string> {
  const id = randomId(10)
  const input = { signal: 'beat', from: null, mode: 'status', compare: null, threshold: null, match: null }
  const policy = {
    inputs: [{ ...input, noDataAfterMs }],
    need: 'any',
    atLeast: null,
    confirmAfterMs: ruleConfirmMs,
    closeAfterMs: 2 * second,
  }
  const signalKind = noDataAfterMs === null ? 'custom_event' : 'custom_heartbeat'
  await send(keeper, id, { kind: 'create-subject', ...identityOf(stage, name) })
  await send(keeper, id, { kind: 'create-signal', name: 'Beat', signalKind, meta: '{}', convert: false })
  await send(keeper, id, { kind: 'create-rule', name: 'Beats', policy, convert: false })
  return id
}
