// Rules of this project that the linters lack, as one table. Each rule reads one file and returns the lines that break the rule. This file
// writes a forbidden word as a pattern that does not match its own text.
import { existsSync, globSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { missingCommands, otherSpellings } from './cited-commands.ts'
import { missingRules, repeatedRules } from './numbered-rules.ts'
import { strayWords } from './registered-words.ts'

export interface SourceFile {
  /** Path from the root of the repository, with forward slashes. */
  path: string
  text: string
}

export interface TidyRule {
  /** The rule as a sentence. */
  name: string
  applies(path: string): boolean
  /** Returns short texts, one for each part of the file that breaks the rule; an empty list: the file keeps the rule. */
  offences(file: SourceFile): string[]
}

const isCode = (path: string) => /\.(tsx?|js)$/.test(path)
const isTest = (path: string) => path.startsWith('test/')
const isSystem = (path: string) => /^(services|machines|shared)\//.test(path) && isCode(path)
/** Returns true for a file that may read the system's clock. */
const isClock = (path: string) => path === 'shared/time/clock.ts' || path === 'services/dashboard/data/clock.ts'
const isDocument = (path: string) => /^(README|ARCHITECTURE|CHANGELOG)\.md$|^(infra|docs)\/.*\.md$/.test(path)
/** Returns true for this file or its test. Only these two files may contain forbidden words. */
const isThisGate = (path: string) => path === 'infra/gates/tidy-rules.ts' || path === 'test/tidy/tidy.test.ts'

/** Returns a function that finds the matching lines of a file. If `code` is true, it ignores comments. */
const lines = (pattern: RegExp, code: boolean) => (file: SourceFile) =>
  file.text.split('\n').flatMap((line, index) => {
    const looked = code ? line.replace(/(^|\s)\/\/.*$/, '').replace(/^\s*\/?\*.*$/, '') : line
    return pattern.test(looked) ? [`${index + 1}: ${line.trim().slice(0, 120)}`] : []
  })

export const tidyRules: TidyRule[] = [
  {
    name: 'randomness comes from shared/text/ids.ts or a seed, never from the language',
    applies: path => isCode(path) && !isThisGate(path),
    offences: lines(/\bMath\.random\b/, true),
  },
  {
    name: 'the present instant comes from the injected clock',
    applies: path => isSystem(path) && !isClock(path),
    offences: lines(/\bDate\.now\b|\bnew Date\(\s*\)/, true),
  },
  {
    name: 'timers come from the injected clock',
    applies: path => isSystem(path) && !isClock(path),
    offences: lines(/\bset(Timeout|Interval)\(|['"](node:)?timers(\/promises)?['"]/, true),
  },
  {
    name: 'node:http comes from shared/net/node-http.ts: imported by name it loads all of fetch',
    applies: path => (isSystem(path) || /^infra\/(runtime|cli)\//.test(path)) && path !== 'shared/net/node-http.ts',
    offences: lines(/^import (?!type\b).* from 'node:https?'/, true),
  },
  {
    name: 'no file names a folder of one machine or the host of a package registry',
    applies: path => path !== 'package-lock.json',
    offences: lines(
      /(^|[^a-z.\w])\/(work|farm|root|Users)\/|registry\.npmjs\.(org|com)|files\.pythonhosted|pypi\.org|proxy\.golang\.org|deb\.debian\.org/,
      false,
    ),
  },
  {
    name: 'the lock file names no host',
    applies: path => path === 'package-lock.json',
    offences: lines(/"resolved":/, false),
  },
  {
    name: 'no test sleeps, stands alone or is left out',
    applies: path => isTest(path) && isCode(path),
    offences: lines(/\bsleep\(|\.only\(|\bt\.skip\(|setTimeout\(\s*(resolve|done)\b/, true),
  },
  {
    name: 'every file of the system starts with a comment that says what it is',
    applies: path => isSystem(path),
    offences: file => (/^(#!.*\n)?\s*(\/\/|\/\*)/.test(file.text) ? [] : ['1: no header comment']),
  },
  {
    name: 'a registered channel, kind of check or system Template is named only in its folder and its registry',
    applies: path => /^(services|shared|infra|machines)\//.test(path) && isCode(path),
    offences: strayWords,
  },
  {
    name: 'no left-over marks',
    applies: path => isCode(path) || path.endsWith('.md'),
    offences: lines(/\b(TO[D]O|FIX[M]E|X[X]X|HAC[K])\b|\b(not imple[m]ented|for no[w])\b/, false),
  },
  {
    name: 'a path that a document cites exists',
    applies: isDocument,
    offences: file => citedPaths(file.text, dirname(file.path)).filter(path => !exists(path)),
  },
  {
    name: 'a command that a document cites exists',
    applies: isDocument,
    offences: file => missingCommands(file.text),
  },
  {
    name: 'a numbered rule that a file cites exists in docs/reference',
    applies: path => (isCode(path) || path.endsWith('.md')) && !isThisGate(path) && path !== 'infra/gates/numbered-rules.ts',
    offences: missingRules,
  },
  {
    name: 'each rule of docs/reference has a number of its own',
    applies: path => path.startsWith('docs/reference/'),
    offences: file => repeatedRules(file.text),
  },
  {
    name: 'no file cites a numbered document that the tree does not have',
    applies: path => (isCode(path) || path.endsWith('.md')) && !isThisGate(path),
    offences: lines(/\b[Ss]pec(ification)? [A-E]\b/, false),
  },
  {
    name: 'the command is spelled ./watchkeeper: nothing else works in its folder alone and fetches nothing',
    // ADRs are not checked, because they quote earlier spellings.
    applies: path => path !== 'package-lock.json' && !path.startsWith('infra/adr/') && !isThisGate(path),
    offences: file => otherSpellings(file.text),
  },
  {
    name: 'a log message is fixed, lower case and without a full stop (docs/writing.md); test/infra/log.test.ts looks at calls of several lines',
    applies: path => /^(services|shared|infra)\//.test(path) && isCode(path) && !isThisGate(path),
    offences: lines(
      /\b(logger|log)\??\.(trace|debug|info|warn|error|fatal)\((.*,)? ?(['"](?!AUTH_DEV)([A-Z][^'"]*|[^'"]*[.;])['"]|`[^`]*`)\)/,
      true,
    ),
  },
]

/**
 * Returns the paths in back-ticks and the targets of links, without anchors. Links are relative to `folder`. Returned paths are relative to
 * the root.
 */
export function citedPaths(text: string, folder = '.'): string[] {
  const quoted = [...text.matchAll(/`((?:\.ci|docs|services|machines|shared|infra|test)\/[\w./*{},@-]*)`/g)].map(
    match => match[1] ?? '',
  )
  const linked = [...text.matchAll(/\]\((?!https?:|#|mailto:)(\/?)([\w./@-]+)(?:#[\w-]*)?\)/g)].map(([, slash, path = '']) =>
    slash === '/' ? path : normalize(join(folder, path)),
  )
  return [...new Set([...quoted, ...linked])]
}

const exists = (path: string): boolean => (/[*{]/.test(path) ? globSync(path).length > 0 : existsSync(path))
