// GET /session/machines/{machine}/{form}: a state machine in a form for other tools: source code, configuration as JSON, or a diagram.
import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { pathPart } from '../../http/answer.ts'
import type { Route } from '../../http/route.ts'
import { noSuch } from '../caller/rights.ts'
import { route, signedIn } from '../caller/session-route.ts'

const forms = ['source', 'json', 'mermaid'] as const

const machineFile = route('GET', '/machines/:machine/:form', {
  summary: 'A state machine as other tools open it: `source` for XState, `json` for the Stately editor, `mermaid`.',
  needs: signedIn,
  result: Type.Object({
    name: Type.String({ description: 'Name for a file.', examples: ['incident.ts'] }),
    text: Type.String({ examples: ['stateDiagram-v2'] }),
  }),
  handler: async (_context, call) => {
    const { machines, mermaid, statelyJson } = await drawings()
    const name = pathPart(call, 'machine')
    const machine = Object.hasOwn(machines, name) ? machines[name] : undefined
    const form = forms.find(known => known === pathPart(call, 'form'))
    if (machine === undefined || form === undefined) throw noSuch('Machine')
    const texts = { source: () => sourceOf(name), json: () => statelyJson(machine), mermaid: () => mermaid(machine) }
    return { name: `${name}.${extensions[form]}`, text: await texts[form]() }
  },
})

/** Loads the drawing code at the first request, because no other part of the gateway uses it. */
const drawings = () => import('#machines/drawings.ts')

const extensions: Record<(typeof forms)[number], string> = { source: 'ts', json: 'json', mermaid: 'mmd' }

const sourceOf = (name: string) => readFile(new URL(`../../../../machines/${name}.ts`, import.meta.url), 'utf8')

export const machineFileRoutes: readonly Route[] = [machineFile]
