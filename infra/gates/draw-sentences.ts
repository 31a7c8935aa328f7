// `npm run sentences -- --seed 7 [--count 150] [--commits <range>]`: draws sentences at random, for a reader who does not know the code.
// The reader counts the sentences that needed a second reading (docs/writing.md). For one tree, one seed always draws the same sentences.
// Each sentence is printed with its context: the sentence before it, and the line of code below its comment.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { passagesOf, sentencesOf } from './prose.ts'

interface Drawn {
  place: string
  kind: string
  sentence: string
  /** Previous sentence of the passage; null: this sentence is the first. */
  before: string | null
  /** Line below the passage; null for documents, titles and commits. */
  below: string | null
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: '150' },
    commits: { type: 'string' },
    json: { type: 'boolean' },
  },
})
const seed = Number(values.seed)
const count = Number(values.count)
if (!Number.isInteger(seed) || seed < 1 || !Number.isInteger(count) || count < 1) {
  console.error('Give a seed and a count as whole numbers from 1: npm run sentences -- --seed 7 --count 150')
  process.exit(2)
}

const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).split('\n')
const all = [...ofFiles(), ...ofCommits(values.commits)]
const random = mulberry32(seed)
const drawn = Array.from(
  { length: Math.min(count, all.length) },
  () => all.splice(Math.floor(random() * all.length), 1)[0] as Drawn,
)
if (values.json) console.log(JSON.stringify(drawn, null, 2))
else
  for (const [index, { place, kind, sentence, before, below }] of drawn.entries()) {
    console.log(`${index + 1}. ${sentence}\n   (${kind}, ${place})`)
    if (before !== null) console.log(`   before it: ${before}`)
    if (below !== null) console.log(`   below it: ${below}`)
  }

function ofFiles(): Drawn[] {
  return git('ls-files').flatMap(path => {
    if (!/\.(tsx?|js|md)$/.test(path) || !existsSync(path)) return []
    return passagesOf({ path, text: readFileSync(path, 'utf8') }).flatMap(passage => {
      const { line, kind, below = null } = passage
      return sentencesOf(passage).map((sentence, index, sentences) => ({
        place: `${path}:${line}`,
        kind,
        sentence,
        before: sentences[index - 1] ?? null,
        below,
      }))
    })
  })
}

function ofCommits(range: string | undefined): Drawn[] {
  if (range === undefined) return []
  return git('log', '--format=%h %s', range)
    .filter(line => line !== '')
    .map(line => {
      const [place = '', ...words] = line.split(' ')
      return { place, kind: 'commit', sentence: words.join(' '), before: null, below: null }
    })
}

/** Returns a generator of numbers from 0 to 1, determined by a seed of 32 bits. */
function mulberry32(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
