// Resources of one Template for a run, made by commands on the bus.
import { idLength, randomId } from '#shared/text/ids.ts'
import type { Connection } from '../run/connection.ts'
import { runAtOnce } from '../run/waiting.ts'
import type { CustomFleet } from './fleet.ts'
import { patiently } from './seed.ts'

const commandsAtOnce = 100

export interface ResourceFleetOptions {
  workspaceId: string
  /** Key of the Template, which is the prefix of the Resources' keys. */
  template: string
  resources: number
  signals: number
  /** Rules of the Template. Absent: one rule that reads all signals and is a problem if any signal is, as in a custom fleet. */
  rules?: object[]
}

export const signalKeys = (signals: number): string[] => Array.from({ length: signals }, (_, signal) => `s${signal + 1}`)

/** Publishes version 1 of the Template and creates the Resources. */
export async function seedResources(
  { directory, keeper }: Connection,
  { workspaceId, template, resources, signals: count, rules }: ResourceFleetOptions,
): Promise<CustomFleet> {
  const signals = signalKeys(count)
  const slugs = Array.from({ length: resources }, (_, resource) => `${template}-${resource}`)
  const subjectIds = slugs.map(() => randomId(idLength.subject))
  const manifest = resourceManifest({ key: template, version: 1, signals, rules: rules ?? [anyProblem(signals)] })
  await directory.ask('publish-template', { workspaceId, manifest })
  await runAtOnce(resources, commandsAtOnce, async index => {
    const slug = slugs[index] as string
    const bound = { workspaceId, template: `${template}@1`, answers: {}, labels: {} }
    const command = { kind: 'create-resource', id: randomId(16), slug, name: slug, ...bound } as const
    await patiently(() => keeper.send(subjectIds[index] as string, command))
  })
  return { generation: 3, workspaceId, subjectIds, slugs, signals }
}

interface ManifestOptions {
  key: string
  version: number
  signals: readonly string[]
  rules: object[]
}

export const resourceManifest = ({ key, version, signals, rules }: ManifestOptions) => ({
  key,
  version,
  name: key,
  fields: [],
  signals: signals.map(signal => ({ key: signal, kind: 'heartbeat', every_seconds: 1_200 })),
  rules,
})

export const anyProblem = (signals: readonly string[]) => rule('health', { any: signals.map(isProblem) })

export const isProblem = (signal: string) => ({ signal, field: 'status', operator: 'eq', operand: 'problem' })

export const rule = (key: string, decision: object) => ({
  key,
  action: 'Look at it.',
  wait: { confirm_after: 120, recover_after: 120 },
  decision,
})
