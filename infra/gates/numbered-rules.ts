// Numbered rules of a page of docs/reference, and their citations: `v3 4.7`, `v3 1.3, 2.2 and 2.5`, `v3 7.3 to 7.7`.

/** As `<section>.<number>`, in the order of the page. */
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

/** A range counts with what lies between its ends. */
export function citedRules(text: string): string[] {
  const cited = [...text.matchAll(/\bv3 (\d+\.\d+(?:(?:, and |, | and | to )\d+\.\d+)*)/g)].map(([, list = '']) => list)
  return cited.flatMap(list => list.split(/, and |, | and /).flatMap(between))
}

function between(range: string): string[] {
  const [first = '', last = first] = range.split(' to ')
  const [section, from] = first.split('.')
  const to = Number(last.split('.')[1])
  return Array.from({ length: to - Number(from) + 1 }, (_, i) => `${section}.${Number(from) + i}`)
}
