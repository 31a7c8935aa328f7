// A Template as the API returns it, back as a manifest in its canonical form: members in their declared order, without those that are unset. Pure.
// Rule: docs/reference/v3.md, 3.6.
import type { Manifest } from '#shared/contracts/template.ts'
import type { templateObject } from '../../services/gateway/v3/template-object.ts'

export type SentTemplate = ReturnType<typeof templateObject>
type Destinations = readonly { id: string; name: string }[]

/** Destinations are written by their names. One that was deleted is none (v3 10.4), and is left out. */
export function manifestOf({ key, version, name, summary, fields, signals, rules }: SentTemplate, known: Destinations): Manifest {
  const manifest = {
    key,
    version,
    name,
    ...(summary === '' ? {} : { summary }),
    ...(fields.length === 0 ? {} : { fields: fields.map(fieldOf) }),
    signals: signals.map(({ key, kind, every_seconds, help }) => given({ key, kind, every_seconds, help })),
    rules: rules.map(rule => ruleOf(rule, known)),
  }
  return manifest as Manifest
}

function fieldOf({ key, label, help, type, required, default: usual, options, min, max }: SentTemplate['fields'][number]) {
  const shown = { key, label: label === key ? null : label, help, type, required: required || null, default: usual }
  // An empty text or list is a default like any other.
  return { ...given(shown), ...(usual === null ? {} : { default: usual }), ...given({ options, min, max }) }
}

function ruleOf({ key, action, wait, decision, help, destination, routes }: SentTemplate['rules'][number], known: Destinations) {
  const nameOf = (id: string) => known.find(one => one.id === id)?.name
  const one = destination === null ? undefined : nameOf(destination)
  return {
    ...given({ key, action, wait, decision, help }),
    ...(one === undefined ? {} : { destination: { name: one } }),
    ...routesOf(routes, nameOf),
  }
}

/** Routes that all lead nowhere any more decide nothing; an empty list of routes decides that nothing is sent. */
function routesOf(routes: SentTemplate['rules'][number]['routes'], nameOf: (id: string) => string | undefined) {
  if (routes === null) return {}
  const left = routes.flatMap(({ destination, on }) => {
    const name = nameOf(destination)
    return name === undefined ? [] : [{ destination: { name }, on }]
  })
  return left.length === 0 && routes.length > 0 ? {} : { routes: left }
}

/** Without members that are null, or empty texts and lists. */
const given = (members: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== '' && !isEmptyList(value)))

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0
