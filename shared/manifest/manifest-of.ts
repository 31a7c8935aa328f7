// Conversion of a Template from the API into a manifest in canonical form: members in their declared order, without unset members. Pure,
// because a browser loads it too. Reference: docs/reference/v3.md, 3.6.
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import type { Manifest } from '#shared/contracts/resources/template.ts'

type Destinations = readonly { id: string; name: string }[]

/** Returns the manifest, in which names replace the ids of destinations. A deleted destination (v3 10.4) is left out. */
export function manifestOf({ key, version, name, summary, fields, signals, rules }: SentTemplate, known: Destinations): Manifest {
  const manifest = {
    key,
    version,
    name,
    ...(summary === '' ? {} : { summary }),
    ...(fields.length === 0 ? {} : { fields: fields.map(fieldOf) }),
    signals: signals.map(signalOf),
    rules: rules.map(rule => ruleOf(rule, known)),
  }
  return manifest as Manifest
}

function fieldOf({ key, label, help, type, required, default: usual, options, min, max }: SentTemplate['fields'][number]) {
  const shown = { key, label: label === key ? null : label, help, type, required: required || null, default: usual }
  // `given` would drop a default that is an empty text or list. Such a default is valid, so it is added separately.
  return { ...given(shown), ...(usual === null ? {} : { default: usual }), ...given({ options, min, max }) }
}

function signalOf({
  key,
  kind,
  every_seconds,
  every,
  check,
  locations,
  agreement,
  schedule,
  help,
}: SentTemplate['signals'][number]) {
  return {
    ...given({ key, kind, every_seconds: every_seconds ?? every }),
    ...(check && { check }),
    ...(schedule && { schedule: given(schedule) }),
    ...given({ locations, agreement, help }),
  }
}

function ruleOf(
  { key, action, wait, decision, unknown, help, destination, routes }: SentTemplate['rules'][number],
  known: Destinations,
) {
  const nameOf = (id: string) => known.find(one => one.id === id)?.name
  const one = destination === null ? undefined : nameOf(destination)
  return {
    ...given({ key, action, wait, decision, unknown: unknown ?? null, help }),
    ...(one === undefined ? {} : { destination: { name: one } }),
    ...routesOf(routes, nameOf),
  }
}

/**
 * Returns the routes to destinations that still exist. If none of them exists, omits `routes`. If the list was empty from the start, keeps
 * it, because an empty list declares that no message is sent.
 */
function routesOf(routes: SentTemplate['rules'][number]['routes'], nameOf: (id: string) => string | undefined) {
  if (routes === null) return {}
  const left = routes.flatMap(({ destination, ...rest }) => {
    const name = nameOf(destination)
    return name === undefined ? [] : [{ destination: { name }, ...rest }]
  })
  return left.length === 0 && routes.length > 0 ? {} : { routes: left }
}

/** Returns the members without nulls, empty texts and empty lists. */
const given = (members: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== '' && !isEmptyList(value)))

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0
