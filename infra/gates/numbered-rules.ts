// Numbered rules of the pages of docs/reference, and their citations: `v3 1.3, 2.2 and 2.5`, `v3 7.3 to 7.7`, `reference/incidents 4.2`. A
// citation may name a section instead of a rule, except on the page v3: `reference/incidents 4`.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Citation {
  /** Name of the page's file, without its extension. */
  page: string
  /** `<section>.<number>`, or `<section>` for a whole section. */
  rule: string
}

/** Returns the rules of a page as `<section>.<number>`, in the order of the page. */
export function numberedRules(page: string): string[] {
  const rules: string[] = []
  let section = ''
  for (const line of page.split('\n')) {
    section = /^## (\d+)\. /.exec(line)?.[1] ?? section
    const [, number] = /^(\d+)\. /.exec(line) ?? []
    if (section !== '' && number !== undefined) rules.push(`${section}.${number}`)
  }
  return rules
}

/** Returns the rules whose number an earlier rule of the page has. */
export const repeatedRules = (page: string): string[] => numberedRules(page).filter((one, i, all) => all.indexOf(one) < i)

const rule = String.raw`\d+\.\d+`
const list = `${rule}(?:(?:, and |, | and | to )${rule})*`
/** Forms of citations: `v3 4.7`, `reference/incidents 4.2`, `docs/reference/v3.md, 4.7`. */
const forms = [
  String.raw`\b(?<page>v3) (?<rules>${list})`,
  String.raw`\breference/(?<page>[a-z0-9-]+) (?<rules>${list}|\d+)`,
  String.raw`\bdocs/reference/(?<page>[a-z0-9-]+)\.md, (?:section )?(?<rules>${list}|\d+)`,
].map(form => new RegExp(form, 'g'))
/** Forms with links, relative to the text: `[incidents](reference/incidents.md#x) 4.2`, `[rule 4.2](reference/incidents.md)`. */
const linked = [
  String.raw`\]\((?<target>[\w./-]+\.md)(?:#[\w-]*)?\) (?<rules>${list}|\d+)(?!\w)`,
  String.raw`\[(?:rules?|section|v3) (?<rules>${list}|\d+)\]\((?<target>[\w./-]+\.md)`,
].map(form => new RegExp(form, 'g'))

/** Returns the rules that a file cites. A range counts as all its rules. */
export function citations({ path, text }: { path: string; text: string }): Citation[] {
  const byName = forms.flatMap(form => [...text.matchAll(form)].flatMap(({ groups = {} }) => cited(groups['page'], groups)))
  const byLink = linked.flatMap(form =>
    [...text.matchAll(form)].flatMap(({ groups = {} }) => cited(pageOfLink(path, groups['target'] ?? ''), groups)),
  )
  return [...byName, ...byLink]
}

const pageOfLink = (path: string, target: string): string | undefined =>
  /^docs\/reference\/(.+)\.md$/.exec(join(dirname(path), target))?.[1]

const cited = (page: string | undefined, groups: Record<string, string>): Citation[] =>
  page === undefined ? [] : rulesOf(groups['rules'] ?? '').map(one => ({ page, rule: one }))

/** Returns the cited rules of one page, as `<section>.<number>`. */
export const citedRules = (file: { path: string; text: string }, page: string): string[] =>
  citations(file).flatMap(one => (one.page === page ? [one.rule] : []))

/** Returns the citations whose page or rule is missing in docs/reference, as `<page> <rule>`. */
export const missingRules = (file: { path: string; text: string }): string[] =>
  citations(file)
    .filter(({ page, rule }) => !(rulesOfPage(page) ?? []).some(one => one === rule || one.startsWith(`${rule}.`)))
    .map(({ page, rule }) => `${page} ${rule}`)

const pages = new Map<string, string[] | null>()

/** Returns the rules of a page; null: no such page. */
function rulesOfPage(page: string): string[] | null {
  const path = `docs/reference/${page}.md`
  const known = pages.get(page) ?? (existsSync(path) ? numberedRules(readFileSync(path, 'utf8')) : null)
  pages.set(page, known)
  return known
}

const rulesOf = (text: string): string[] => text.split(/, and |, | and /).flatMap(between)

function between(range: string): string[] {
  const [first = '', last = first] = range.split(' to ')
  const [section, from] = first.split('.')
  const to = Number(last.split('.')[1])
  if (from === undefined) return [first]
  return Array.from({ length: to - Number(from) + 1 }, (_, i) => `${section}.${Number(from) + i}`)
}
