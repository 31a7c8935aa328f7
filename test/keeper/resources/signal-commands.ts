// Commands and reads of the tests of signals: custom subjects of generation 2 in the world of Resources.
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { PolicyInput } from '#shared/contracts/subjects/policy.ts'
import { randomId } from '#shared/text/ids.ts'
import { minute } from '../world.ts'
import { read, type World } from './resource-world.ts'

/** Key of the reachability signal of the world's websites, at their one location. */
export const reachability = 'reachability@aaaa'

/** Sends a command, which may have a field that the test expects to be refused. Returns the reply. */
export const send = (world: World, id: string, command: object) => world.command(id, command as never)
/** Sends the command. Throws the message of a refusal. */
export async function must(world: World, id: string, command: object): Promise<void> {
  const reply: Reply = await send(world, id, command)
  if (!reply.ok) throw new Error(reply.error.message)
}

/** Creates a custom subject without signals and rules. Returns its id. */
export async function createCustom(world: World): Promise<string> {
  const id = randomId(10)
  await must(world, id, { kind: 'create-subject', workspaceId: 'w', slug: `c-${id}`, name: 'Shop' })
  return id
}

/** Adds a signal to a custom subject. */
export const addSignal = (world: World, id: string, name: string, kind = 'custom_heartbeat') =>
  must(world, id, { kind: 'create-signal', name, signalKind: kind, meta: '{}', convert: false })

/** Input of a rule with every field unset. */
export const unset: PolicyInput = {
  ...{ signal: null, from: null, mode: 'status', compare: null, threshold: null, match: null, noDataAfterMs: null },
}

/** Adds a rule with one input. Its two delays are a minute each. */
export const addRule = (world: World, id: string, name: string, input: Partial<PolicyInput>) =>
  must(world, id, {
    kind: 'create-rule',
    name,
    convert: false,
    policy: { inputs: [{ ...unset, ...input }], need: 'any', atLeast: null, confirmAfterMs: minute, closeAfterMs: minute },
  })

/** Returns the status of the rule with this key, as generation 3 shows the rule; undefined: no such rule. */
export const verdictOf = async (world: World, id: string, slug: string) => {
  const { rules } = (await read(world, id)) ?? { rules: [] }
  return rules.find(rule => rule.key === slug)?.status
}
