// A rule's decision in words. Accepts any JSON as the decision, because a draft may be unfinished. Pure.
import { isObject } from './editor/draft.ts'
import { operatorWord } from './operator-words.ts'

export interface DecisionWords {
  words: string
  /** Nested decisions, which are listed after `words` if `words` ends in a colon. */
  parts: DecisionWords[]
}

const listsOf = (node: Record<string, unknown>): [word: string, parts: unknown[]] | null => {
  for (const name of ['all', 'any', 'all_known', 'any_known']) {
    const parts = node[name]
    if (Array.isArray(parts)) return [name, parts]
  }
  return null
}

export function decisionWords(node: unknown): DecisionWords {
  if (!isObject(node)) return { words: 'nothing yet', parts: [] }
  if ('not' in node) return negated(node['not'])
  const list = listsOf(node)
  if (list === null) return { words: comparisonWords(node), parts: [] }
  const [name, parts] = list
  const known = `of those that are known, at least ${String(node['min_known'] ?? 1)} of them`
  const words = { all: 'all of these:', any: 'any of these:', all_known: `all ${known}:`, any_known: `any ${known}:` }[name]
  return { words: words ?? name, parts: parts.map(decisionWords) }
}

function negated(node: unknown): DecisionWords {
  if (isObject(node) && node['field'] === 'known') return { words: `${named(node)} is silent${within(node)}`, parts: [] }
  return { words: 'not this:', parts: [decisionWords(node)] }
}

const named = (node: Record<string, unknown>): string => (typeof node['signal'] === 'string' ? node['signal'] : '…')

const within = ({ within_seconds: seconds }: Record<string, unknown>): string =>
  typeof seconds === 'number' ? ` within ${seconds} s` : ''

function comparisonWords(node: Record<string, unknown>): string {
  const { field, operator, operand, min_count: count, within_seconds: seconds, baseline } = node
  if (field === 'known') return `${named(node)} has reported${within(node)}`
  const compared = `${operatorWord(String(operator ?? '…'))} ${operandWords(operand)}`
  if (field === 'status') return `the status of ${named(node)} ${compared}`
  if (isObject(baseline)) return `${named(node)} ${compared} times its median of ${String(baseline['days'])} days`
  const counted = count == null ? '' : `, ${String(count)} times within ${String(seconds)} s`
  return `${named(node)} ${compared}${counted}`
}

export const operandWords = (operand: unknown): string =>
  isObject(operand) ? `the answer ${String(operand['meta'])}` : String(operand ?? '…')
