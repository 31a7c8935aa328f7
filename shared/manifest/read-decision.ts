// Validation of a decision beyond its shape: signals and fields must exist, operators and operands must fit, depth and number of
// comparisons are bounded. Pure. Reference: docs/reference/v3.md, 3.8.

import { scheduleKind } from '#shared/contracts/resources/schedule.ts'
import {
  type Comparison,
  checkKind,
  type DecisionNode,
  type Manifest,
  type TemplateField,
  type TemplateSignal,
  type ValueComparison,
} from '#shared/contracts/resources/template.ts'
import { refuse } from './manifest-refusal.ts'
import { requireNumericField } from './read-field.ts'

export interface Declared {
  fields: readonly TemplateField[]
  signals: readonly TemplateSignal[]
}

/** Largest number of nodes from the root to a comparison, both included. */
const depthMax = 4
const comparisonsMax = 16
const baselineOperandMax = 100

/**
 * Returns the decision unchanged. Throws ManifestRefusal for its first fault in reading order; `place`: path of the decision in the
 * manifest.
 */
export function readDecision(sent: Manifest['rules'][number]['decision'], place: string, declared: Declared): DecisionNode {
  const node = sent as DecisionNode
  const count = readNode(node, place, 1, declared)
  if (count > comparisonsMax) throw refuse(place, `A decision has at most ${comparisonsMax} comparisons, this one ${count}`)
  return node
}

/** Checks the node, and returns the number of its comparisons. */
function readNode(node: DecisionNode, place: string, depth: number, declared: Declared): number {
  if (depth > depthMax) throw refuse(place, `A decision is at most ${depthMax} nodes deep`)
  if ('not' in node) return readNode(node.not, `${place}.not`, depth + 1, declared)
  if ('signal' in node) return readComparison(node, place, declared)
  const [word, parts] = partsOf(node)
  const count = parts.reduce((sum, part, i) => sum + readNode(part, `${place}.${word}.${i}`, depth + 1, declared), 0)
  if ('min_known' in node && node.min_known > parts.length) {
    throw refuse(`${place}.min_known`, `min_known must be 1 to ${parts.length}, the number of comparisons`)
  }
  return count
}

/** Returns the keyword and the parts of a composite node. */
export function partsOf(node: Exclude<DecisionNode, Comparison | { not: DecisionNode }>): [word: string, parts: DecisionNode[]] {
  if ('all' in node) return ['all', node.all]
  if ('any' in node) return ['any', node.any]
  return 'all_known' in node ? ['all_known', node.all_known] : ['any_known', node.any_known]
}

function readComparison(comparison: Comparison, place: string, { fields, signals }: Declared): 1 {
  const signal = signals.find(({ key }) => key === comparison.signal)
  if (signal === undefined) throw refuse(`${place}.signal`, `The Template declares no signal '${comparison.signal}'`)
  if (comparison.field === 'missed' && signal.kind !== scheduleKind)
    throw refuse(`${place}.field`, `Only a signal of the kind ${scheduleKind} is missed`)
  if (comparison.field === 'known' && signal.kind === scheduleKind)
    throw refuse(`${place}.field`, `A signal of the kind ${scheduleKind} is compared by missed, not by known`)
  if (comparison.field === 'status') {
    if (comparison.operator !== 'eq' && comparison.operator !== 'neq') {
      throw refuse(`${place}.operator`, 'A status is compared with eq or neq')
    }
    if (comparison.operand !== 'ok' && comparison.operand !== 'problem')
      throw refuse(`${place}.operand`, 'A status is ok or problem')
  }
  if (comparison.field === 'value') {
    if (signal.kind === checkKind) requirePlain(comparison, place)
    readValueComparison(comparison, place, fields)
  }
  return 1
}

/** Throws ManifestRefusal for a comparison that counts or has a baseline: they need more than the newest result of a check. */
function requirePlain({ min_count, within_seconds, baseline }: ValueComparison, place: string): void {
  const refuseOf = (member: string, what: string) => refuse(`${place}.${member}`, `${what} only signals on which senders report`)
  if (baseline != null) throw refuseOf('baseline', 'Baselines compare')
  if (min_count != null || within_seconds != null) {
    throw refuseOf(min_count == null ? 'within_seconds' : 'min_count', 'Comparisons count the Observations of')
  }
}

function readValueComparison(comparison: ValueComparison, place: string, fields: readonly TemplateField[]): void {
  const { operand, min_count, within_seconds, baseline } = comparison
  if (typeof operand === 'string')
    throw refuse(`${place}.operand`, 'A value is compared with a number or with a field: {"meta": "<key>"}')
  const field = typeof operand === 'number' ? null : requireNumericField(operand.meta, fields, `${place}.operand`)
  if (baseline != null) {
    if (min_count != null || within_seconds != null) {
      throw refuse(`${place}.baseline`, 'A comparison has a baseline, or min_count with within_seconds, not both')
    }
    const factor = typeof operand === 'number' ? operand : field?.default
    if (typeof factor === 'number' && !isBaselineOperand(factor)) {
      throw refuse(`${place}.operand`, `A baseline's operand must be more than 0 and at most ${baselineOperandMax}`)
    }
  } else if ((min_count == null) !== (within_seconds == null)) {
    const absent = min_count == null ? 'min_count' : 'within_seconds'
    throw refuse(`${place}.${absent}`, 'min_count and within_seconds are given together')
  }
}

/** Returns true if a comparison with a baseline may have this factor of the median. */
export const isBaselineOperand = (factor: number): boolean => factor > 0 && factor <= baselineOperandMax

/** Returns all comparisons of a decision in their order. The result is cached, because a published decision never changes. */
export function comparisonsOf(node: DecisionNode): readonly Comparison[] {
  const known = comparisons.get(node)
  if (known !== undefined) return known
  const found = findComparisons(node)
  comparisons.set(node, found)
  return found
}

const comparisons = new WeakMap<DecisionNode, readonly Comparison[]>()

function findComparisons(node: DecisionNode): Comparison[] {
  if ('signal' in node) return [node]
  if ('not' in node) return findComparisons(node.not)
  return partsOf(node)[1].flatMap(findComparisons)
}

/** Returns the keys of the signals that a decision reads, in order, without repetition. */
export const signalsOf = (node: DecisionNode): string[] => [...new Set(comparisonsOf(node).map(comparison => comparison.signal))]
