// Monitors and heartbeats of a fault run, made and removed by commands: quicker intervals than the API allows, and ids that are known.
import type { KeeperClient } from '#shared/bus/command-keeper.ts'
import type { Command } from '#shared/contracts/command.ts'
import { randomId } from '#shared/ids.ts'
import { second } from '#shared/limits.ts'
import type { ClusterStage } from './cluster-stage.ts'

export interface Timing {
  intervalMs: number
  /** Of monitors. */
  confirmMs: number
  recoverMs: number
  /** Of heartbeats. */
  noDataMs: number
}

/** Commands of a thing that is named `name` and lives at the workspace of the stage. */
const identityOf = ({ workspaceId }: ClusterStage, name: string) => ({ workspaceId, slug: name, name })

const send = (keeper: KeeperClient, id: string, command: object) =>
  keeper.send(id, { id: randomId(8), ...command } as unknown as Command)

/** Resolves with its id. */
export async function createSite(stage: ClusterStage, keeper: KeeperClient, name: string, timing: Timing): Promise<string> {
  const id = randomId(10)
  const check = {
    url: stage.outside.siteUrl(name),
    method: 'GET',
    content_type: 'application/json',
    data: '',
    statuses: [200],
    expected_text: '',
    locations: [stage.locationId],
    interval_value: timing.intervalMs / second,
    interval_unit: 'SECOND',
    failure_mode: 'majority',
    confirm_after: timing.confirmMs / second,
    recover_after: timing.recoverMs / second,
  }
  await send(keeper, id, { kind: 'create-website', ...identityOf(stage, name), check })
  return id
}

/** A subject with a heartbeat `beat` and a rule that misses it. Resolves with its id. */
export async function createHeart(stage: ClusterStage, keeper: KeeperClient, name: string, timing: Timing): Promise<string> {
  const id = randomId(10)
  const input = { signal: 'beat', from: null, mode: 'status', compare: null, threshold: null, match: null }
  const policy = {
    inputs: [{ ...input, noDataAfterMs: timing.noDataMs }],
    need: 'any',
    atLeast: null,
    confirmAfterMs: 5 * second,
    closeAfterMs: 2 * second,
  }
  await send(keeper, id, { kind: 'create-subject', ...identityOf(stage, name) })
  await send(keeper, id, { kind: 'create-signal', name: 'Beat', signalKind: 'custom_heartbeat', meta: '{}', convert: false })
  await send(keeper, id, { kind: 'create-rule', name: 'Beats', policy, convert: false })
  return id
}

export const remove = (keeper: KeeperClient, id: string) => send(keeper, id, { kind: 'delete-subject' })
