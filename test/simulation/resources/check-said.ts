// Compares the detail of a simulated Resource, and its open Incidents, with the rules. Always compares explanations (v3 4.9). In runs
// without injected faults also compares `since` (v3 4.8) and `next` (v3 5.7).
import type { IncidentNow } from '#shared/contracts/incidents/incident-views.ts'
import type { ResourceRuleView, ResourceView } from '#shared/contracts/resources/resource-views.ts'
import { naiveFlapping, naiveFlappingWords } from '../../judging/naive-flapping.ts'
import { naiveExplanation } from '../../judging/naive-words.ts'
import { calm, expectedOf, pastOf, type Variant } from './expected.ts'
import { latestBinding } from './facts.ts'
import type { Resource } from './resource.ts'
import { silenceTo, statusAt, stepsOf, tenuresOf } from './truths.ts'

/** Compares the texts and instants of `view` with the rules. `instants`: the instants before and after the read of `view`. */
export async function checkSaid(
  resource: Resource,
  view: ResourceView,
  variants: readonly Variant[],
  instants: readonly number[],
): Promise<void> {
  for (const rule of view.rules) {
    const possible = explanationsOf(resource, rule.key, variants, instants)
    if (rule.status !== null && !possible.has(rule.explanation ?? ''))
      resource.fault(`at ${instants[1]} ${rule.key} is explained by ${rule.explanation}, not by ${[...possible].join(' or ')}`)
  }
  // After an injected fault neither `since` nor `next` is certain to the millisecond.
  if (variants.some(({ held }) => held.length > 0)) return
  for (const rule of view.rules) {
    checkSince(resource, rule, instants)
    if (rule.openIncident !== null) await checkNext(resource, rule, rule.openIncident)
  }
}

function explanationsOf(resource: Resource, key: string, variants: readonly Variant[], instants: readonly number[]): Set<string> {
  const { rule, past } = ruleOf(resource, key)
  const { length } = resource.facts.events
  const { flapping } = rule.wait
  const flaps = (variant: Variant, at: number) =>
    flapping !== undefined && naiveFlapping(expectedOf(resource, variant, at).changes.get(key) ?? [], at, flapping)
      ? naiveFlappingWords(flapping)
      : ''
  const say = (variant: Variant) =>
    instants.map(at => naiveExplanation(rule.decision, past.after(length), at, silenceTo(variant.held, at)) + flaps(variant, at))
  return new Set(variants.flatMap(say))
}

function ruleOf({ facts, house }: Resource, key: string) {
  const { template } = latestBinding(facts)
  const [name, version] = template.split('@') as [string, string]
  const rule = house.revisions.get(template)!.rules.find(one => one.key === key)!
  return { rule, past: pastOf({ facts, house }, name, Number(version)) }
}

/** Checks the instant since which the rule has its status, if the status is not null. */
function checkSince(resource: Resource, { key, status, since }: ResourceRuleView, instants: readonly number[]): void {
  if (status === null) return
  const possible = instants.map(at => sinceOf(resource, key, at))
  if (!possible.some(one => one === since))
    resource.fault(`at ${instants[1]} ${key} reads ${status} since ${since} instead of ${possible.join(' or ')}`)
}

function sinceOf({ facts, house }: Resource, key: string, until: number): number | null {
  const tenure = tenuresOf(facts, house.revisions).findLast(({ rule }) => rule.key === key)
  if (tenure === undefined) return null
  const { rule, template, first } = tenure
  const past = pastOf({ facts, house }, template.key, template.version)
  let count = first
  let now: { status: string | null; since: number } | null = null
  for (const { at, by } of stepsOf(facts, tenure, past, [], until)) {
    if (by === 'input') count += 1
    const status = statusAt(past, rule, count, at, at)
    if (now === null || now.status !== status) now = { status, since: at }
  }
  return now?.since ?? null
}

async function checkNext(resource: Resource, { key }: ResourceRuleView, incidentId: string): Promise<void> {
  const { keepers } = resource.house
  const before = keepers.now()
  const { reply } = await resource.ask({ kind: 'read-incident', incidentId })
  const after = keepers.now()
  // The incident can have closed before this read.
  if (!reply.ok) return
  const { incident, next } = reply.result as IncidentNow
  const possible = [before, after].map(at => JSON.stringify(expectedOf(resource, calm, at).nexts.get(key) ?? null))
  if (!possible.includes(JSON.stringify(next)))
    resource.fault(`at ${after} next of ${key} is ${JSON.stringify(next)} instead of ${possible[0]}`)
  const explanations = explanationsOf(resource, key, [calm], [before, after])
  if (!explanations.has(incident.explanation))
    resource.fault(`at ${after} the Incident of ${key} is explained by ${incident.explanation}, not by ${[...explanations][0]}`)
}
