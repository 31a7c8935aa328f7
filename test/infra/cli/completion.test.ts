// The completion scripts in real shells: every position in the tree of commands, and the tab key at a terminal.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import t from 'tap'
import { createProgram } from '../../../infra/cli/program.ts'
import { temporaryFolder } from '../run-program.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const shells = ['bash', 'zsh'] as const
type Shell = (typeof shells)[number]

const missing = (program: string) => (spawnSync(program, ['--version']).error ? `no ${program}` : false)

/** A typed command line, whose last word is under the cursor, and all words that are valid at this position. */
interface Place {
  typed: string[]
  offered: string[]
}

/**
 * Returns the positions in a command and its subcommands, for words and options. Derives them from the tree of commands, without the code
 * that writes the scripts.
 */
function placesOf(command: Command, path: readonly string[] = []): Place[] {
  const options = [...command.options.map(({ long }) => long ?? ''), '--help']
  const firstWords = command.commands.map(one => one.name())
  const [argument] = command.registeredArguments
  const isPath = /^(file|folder)$/.test(argument?.name() ?? '')
  return [
    { typed: [...path, '--'], offered: options },
    { typed: [...path, isPath ? 'a' : ''], offered: isPath ? ['a file'] : [...firstWords, ...(argument?.argChoices ?? [])] },
    ...command.options.flatMap(({ long, argChoices }) =>
      argChoices === undefined ? [] : [{ typed: [...path, long ?? '', ''], offered: [...argChoices] }],
    ),
    ...command.commands.flatMap(one => placesOf(one, [...path, one.name()])),
  ]
}

/** Positions that cannot be derived from the tree directly. */
const more: Place[] = [
  { typed: ['wor'], offered: ['workspace'] },
  { typed: ['member', 'role', 'ann', ''], offered: ['owner', 'editor', 'viewer'] },
  { typed: ['member', 'role', '--workspace', 'Web shop', 'ann', 'e'], offered: ['editor'] },
  { typed: ['member', 'role', '--json', 'ann', 'v'], offered: ['viewer'] },
  { typed: ['member', 'delete', 'list', ''], offered: [] },
  { typed: ['member', 'create', 'ann', '--role', 'own'], offered: ['owner'] },
  { typed: ['machines', '--out', 'dra'], offered: ['drawings'] },
  { typed: ['bus', 'keys', ''], offered: ['a file', 'drawings'] },
  { typed: ['nothing', 'like', 'it'], offered: [] },
]

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Returns a script that prints one line for each position: its candidates, separated by tabs. In zsh, functions that print replace the
 * functions that complete.
 */
const ask: Record<Shell, (places: Place[]) => string> = {
  bash: places =>
    places
      .map(({ typed }) => {
        const words = ['./watchkeeper', ...typed].map(quoted).join(' ')
        return `COMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _watchkeeper; (IFS=$'\\t'; echo "\${COMPREPLY[*]}")`
      })
      .join('\n'),
  zsh: places => `
    _describe() { local name=\${argv[-1]}; show "\${(@P)name%%:*}" }
    _files() { show *(N) }
    show() { local -a all=("$@") fit; fit=(\${(M)all:#\${words[CURRENT]}*}); print -nr -- "\${(pj:\\t:)fit}" }
    ${places.map(({ typed }) => `words=(${['./watchkeeper', ...typed].map(quoted).join(' ')}); CURRENT=${typed.length + 1}; _watchkeeper; print`).join('\n    ')}`,
}

for (const shell of shells) {
  t.test(`${shell} offers the valid words at every position`, { skip: missing(shell) }, async t => {
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, 'drawings'))
    writeFileSync(join(folder, 'a file'), '')
    const script = spawnSync(join(root, 'watchkeeper'), ['completion', shell], { encoding: 'utf8' })
    t.equal(script.status, 0, script.stderr)
    writeFileSync(join(folder, 'script'), script.stdout)
    const places = [...placesOf(await createProgram()), ...more]
    t.ok(places.length > 80)
    const stub = shell === 'zsh' ? 'compdef() { : }\n' : ''
    const source = `${stub}source ${join(folder, 'script')}\nrm ${join(folder, 'script')}\n${ask[shell](places)}`
    const ran = spawnSync(shell, ['-c', source], { cwd: folder, encoding: 'utf8' })
    t.equal(ran.stderr, '')
    const answers = ran.stdout.split('\n')
    for (const [i, { typed, offered }] of places.entries()) {
      const got = (answers[i] ?? '').split('\t').filter(word => word !== '')
      t.strictSame(got.toSorted(), offered.toSorted(), `./watchkeeper ${typed.join(' ')}`)
    }
  })
}

/** Program that types lines at a terminal and waits for the expected output of each line. Fails if the shell ends earlier. */
const typing = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
for step in sys.stdin.read().split('\\0'):
    typed, wanted = step.split('\\1')
    os.write(terminal, typed.encode())
    seen = b''
    while wanted.encode() not in seen:
        chunk = os.read(terminal, 1000)
        if not chunk: sys.exit(1)
        seen += chunk
os.write(terminal, b'\\x15exit\\r')
try:
    while os.read(terminal, 1000): pass
except OSError: pass
os.waitpid(pid, 0)
`

for (const shell of shells) {
  const skip = missing(shell) || missing('python3')
  t.test(`tab key completes ./watchkeeper in ${shell} at a terminal`, { skip, timeout: 60_000 }, async t => {
    const settings = { bash: ['--norc', '--noprofile', '-i'], zsh: ['-f', '-i'] }[shell]
    const init = shell === 'zsh' ? 'autoload -Uz compinit; compinit -D -u; ' : ''
    const env = { PATH: process.env['PATH'] ?? '', HOME: temporaryFolder(t), TERM: 'dumb', PS1: '> ' }
    const child = spawn('python3', ['-c', typing, shell, ...settings], { cwd: root, env, stdio: ['pipe', 'ignore', 'inherit'] })
    t.teardown(() => child.kill())
    child.stdin.end(
      [
        [`${init}source <(./watchkeeper completion ${shell}); echo re''ady\r`, 'ready'],
        ['./watchkeeper works\t', 'workspace '],
        ['cr\t', 'create '],
        ['--ow\t', '--owner'],
      ]
        .map(step => step.join('\u0001'))
        .join('\u0000'),
    )
    const code = await new Promise(resolve => child.once('close', resolve))
    t.equal(code, 0)
  })
}
