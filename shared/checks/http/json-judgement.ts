// Judgement of a JSON answer: one value of it, compared with the expected one. Pure.
import { cut } from '#shared/text/plain-text.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import { readJsonPath, valueAt } from './json-path.ts'

export const jsonOperators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'exists', 'missing'] as const
type JsonOperator = (typeof jsonOperators)[number]

export interface JsonTest {
  /** A singular path. */
  path: string
  operator: JsonOperator
  /** Expected value as JSON, or else as a text. */
  value: string
}

type Order = (value: number, other: number) => boolean
const orders: Readonly<Partial<Record<JsonOperator, Order>>> = {
  gt: (value, other) => value > other,
  gte: (value, other) => value >= other,
  lt: (value, other) => value < other,
  lte: (value, other) => value <= other,
}

/** Whether the operator compares numbers by size. */
export const isOrder = (operator: string): boolean => Object.hasOwn(orders, operator)

/** Returns what an expected value means: JSON, or else the text itself. */
export function expectedValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns the fault of an answer as a sentence; null: the answer passes. `shown` makes a value of the answer fit to be quoted. */
export function jsonFault(text: string, { path, operator, value }: JsonTest, shown: (json: string) => string): string | null {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return 'answer is not JSON'
  }
  const named = cut(path, 101)
  const found = valueAt(answer, readJsonPath(path) ?? [])
  if (operator === 'missing') return found === undefined ? null : `${named} is there`
  if (found === undefined) return `${named} is missing`
  if (operator === 'exists' || isAsExpected(found, operator, expectedValue(value))) return null
  return `${named} is ${shown(JSON.stringify(found))}, expected ${operator} ${cut(value, 60)}`
}

function isAsExpected(found: unknown, operator: JsonOperator, expected: unknown): boolean {
  const isOrdered = orders[operator]
  if (isOrdered !== undefined) return typeof found === 'number' && typeof expected === 'number' && isOrdered(found, expected)
  return isSameValue(found, expected) === (operator === 'eq')
}
