// World with one custom subject in a keeper, on memory bus and store with a clock that the test moves.
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { Store } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'
import { unset } from '../generate.ts'
import { createWorld, minute } from '../world.ts'

export const hour = 60 * minute
export const day = 24 * hour

export async function createCustom(wrapStore?: (store: Store) => Store) {
  const world = createWorld(wrapStore)
  const keeper = await world.startOne({ exclusive: true })
  const id = randomId(10)
  const send = (command: Record<string, unknown>) => world.command(id, command as never)
  const must = async (command: Record<string, unknown>) => {
    const reply = await send(command)
    if (!reply.ok) throw new Error(`${command['kind']}: ${reply.error.message}`)
    return reply.result as never
  }
  await must({ kind: 'create-subject', workspaceId: 'w', slug: 'shop', name: 'Shop' })
  const signal = (name: string, kind = 'custom_heartbeat') =>
    must({ kind: 'create-signal', name, signalKind: kind, meta: '{}', convert: false })
  const rule = (name: string, inputs: Partial<PolicyInput>[], over: object = {}) =>
    must({ kind: 'create-rule', name, convert: false, policy: policy(inputs, over) })
  const report = (signalSlug: string, status: 'ok' | 'problem', over: object = {}) =>
    send({
      kind: 'report-observation',
      signal: signalSlug,
      observedAtUs: world.clock.now() * 1_000,
      ...reported,
      status,
      ...over,
    })
  const kinds = async () =>
    (await world.alerts(id))
      .sort((a, b) => a.decidedAt - b.decidedAt)
      .map(({ kind, held, reminder }) => (held ? `held ${kind}` : reminder ? 'reminder' : kind))
  const verdict = async (slug: string) => (await world.subject(id))?.rules.find(one => one.slug === slug)?.verdict?.verdict
  return { ...world, keeper, id, send, must, signal, rule, report, kinds, verdict }
}

export const reported = { value: null, error: '', labels: {} }
export const policy = (inputs: Partial<PolicyInput>[], over: object = {}) => ({
  inputs: inputs.map(input => ({ ...unset, ...(input.from == null ? { mode: 'status' as const } : {}), ...input })),
  need: 'any',
  atLeast: null,
  confirmAfterMs: 2 * minute,
  closeAfterMs: 2 * minute,
  ...over,
})
export const refusal = (reply: Reply) => (reply.ok ? 'accepted' : `${reply.error.code} ${reply.error.message}`)
